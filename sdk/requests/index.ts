import type { TSchema } from 'typebox';
import type { JsonObject } from '../json.ts';
import { chat, chatRules } from './chat.ts';
import { completions, completionsRules } from './completions.ts';
import {
  batchEmbedContents,
  countContentTokens,
  countContentTokensRules,
  embedContent,
  generateContent,
} from './contents.ts';
import {
  batches,
  documentRules,
  files,
  fineTuning,
  imageEdits,
  images,
  moderations,
  ocr,
  rerank,
  speech,
  transcriptions,
} from './documents.ts';
import { embeddings, embeddingsRules } from './embeddings.ts';
import { countTokens, messages, messagesRules } from './messages.ts';
import { responses, responsesRules } from './responses.ts';
import type { Refusal, Rule, RuleOptions } from './rule.ts';
import { secondChat, secondEmbed, secondEmbedRules } from './second-version.ts';

/** The request bodies that the gateway reads. */
export type RequestKind =
  | 'chat'
  | 'completions'
  | 'messages'
  | 'count_tokens'
  | 'responses'
  | 'generate_content'
  | 'count_content_tokens'
  | 'embeddings'
  | 'embed_content'
  | 'v2_chat'
  | 'v2_embed'
  | 'batch_embed_contents'
  | 'rerank'
  | 'images'
  | 'image_edits'
  | 'speech'
  | 'transcriptions'
  | 'moderations'
  | 'ocr'
  | 'files'
  | 'batches'
  | 'fine_tuning';

/** Bodies that name no model, or may leave it to the provider. */
export const kindsWithoutModel: ReadonlySet<RequestKind> = new Set([
  'images',
  'image_edits',
  'moderations',
  'files',
  'batches',
]);

/**
 * JSON Schema (2020-12) of each body, as the client sends it. Fields that a schema does not name pass, and `model` is
 * always optional. The one keyword that is not JSON Schema's is `accepts`: a noun phrase, "a string or an array".
 */
export const requestSchemas: Record<RequestKind, TSchema> = {
  chat,
  completions,
  messages,
  count_tokens: countTokens,
  responses,
  generate_content: generateContent,
  count_content_tokens: countContentTokens,
  embeddings,
  embed_content: embedContent,
  v2_chat: secondChat,
  v2_embed: secondEmbed,
  batch_embed_contents: batchEmbedContents,
  rerank,
  images,
  image_edits: imageEdits,
  speech,
  transcriptions,
  moderations,
  ocr,
  files,
  batches,
  fine_tuning: fineTuning,
};

const rules: Record<RequestKind, readonly Rule[]> = {
  chat: chatRules,
  completions: completionsRules,
  messages: messagesRules,
  count_tokens: messagesRules,
  responses: responsesRules,
  generate_content: documentRules,
  count_content_tokens: countContentTokensRules,
  embeddings: embeddingsRules,
  embed_content: documentRules,
  v2_chat: documentRules,
  v2_embed: secondEmbedRules,
  batch_embed_contents: documentRules,
  rerank: documentRules,
  images: documentRules,
  image_edits: documentRules,
  speech: documentRules,
  transcriptions: documentRules,
  moderations: documentRules,
  ocr: documentRules,
  files: documentRules,
  batches: documentRules,
  fine_tuning: documentRules,
};

/** The first rule between fields that a body breaks, if any. Call it with a body that passed its schema. */
export function crossChecks(kind: RequestKind, body: JsonObject, options: RuleOptions): Refusal | undefined {
  for (const rule of rules[kind]) {
    const refusal = rule(body, options);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
