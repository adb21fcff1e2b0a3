import { bounded } from './bounded.ts';
import { chat } from './chat/index.ts';
import { completions } from './completions/index.ts';
import type { Dialect, EmbeddingDialect, GenerationDialect } from './dialect.ts';
import { embeddings } from './embeddings/index.ts';
import { gemini } from './gemini/index.ts';
import { geminiEmbeddings } from './gemini-embeddings/index.ts';
import { messages } from './messages/index.ts';
import { responses } from './responses/index.ts';

/** Every wire format, by name. */
export const dialects = {
  chat: bounded(chat),
  completions: bounded(completions),
  messages: bounded(messages),
  responses: bounded(responses),
  gemini: bounded(gemini),
  embeddings,
  'gemini-embeddings': geminiEmbeddings,
} as const satisfies Record<Dialect['name'], GenerationDialect | EmbeddingDialect>;
