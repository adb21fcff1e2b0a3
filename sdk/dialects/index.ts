import { bounded } from './bounded.ts';
import { chat } from './chat/index.ts';
import { cohere } from './cohere/index.ts';
import { cohereEmbeddings } from './cohere-embeddings/index.ts';
import { completions } from './completions/index.ts';
import { converse } from './converse/index.ts';
import type { Dialect } from './dialect.ts';
import {
  batches,
  files,
  fineTuning,
  images,
  moderations,
  ocr,
  rerank,
  speech,
  transcriptions,
} from './documents/index.ts';
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
  converse: bounded(converse),
  cohere: bounded(cohere),
  embeddings,
  'gemini-embeddings': geminiEmbeddings,
  'cohere-embeddings': cohereEmbeddings,
  rerank,
  images,
  moderations,
  ocr,
  speech,
  transcriptions,
  files,
  batches,
  'fine-tuning': fineTuning,
} as const satisfies Record<Dialect['name'], Dialect>;
