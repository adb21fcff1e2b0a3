import type { TSchema } from 'typebox';
import type { JsonObject } from '../json.ts';
import { chat, chatRules } from './chat.ts';
import { completions, completionsRules } from './completions.ts';
import { embeddings, embeddingsRules } from './embeddings.ts';
import { countTokens, messages, messagesRules } from './messages.ts';
import { responses, responsesRules } from './responses.ts';
import type { Refusal, Rule, RuleOptions } from './rule.ts';

/** The request bodies that the gateway reads. */
export type RequestKind = 'chat' | 'completions' | 'messages' | 'count_tokens' | 'responses' | 'embeddings';

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
  embeddings,
};

const rules: Record<RequestKind, readonly Rule[]> = {
  chat: chatRules,
  completions: completionsRules,
  messages: messagesRules,
  count_tokens: messagesRules,
  responses: responsesRules,
  embeddings: embeddingsRules,
};

/** The first rule between fields that a body breaks, if any. Call it with a body that passed its schema. */
export function crossChecks(kind: RequestKind, body: JsonObject, options: RuleOptions): Refusal | undefined {
  for (const rule of rules[kind]) {
    const refusal = rule(body, options);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
