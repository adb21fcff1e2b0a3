import { GatewayError } from '../../errors.ts';
import { compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call } from '../neutral.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeTools } from './encode-tools.ts';
import { dialectName } from './name.ts';

/** Neutral fields without a place here, by the name that clients know. */
const placeless: readonly (readonly [keyof Call, string])[] = [
  ['logitBias', 'logit_bias'],
  ['topLogprobs', 'top_logprobs'],
  ['user', 'user'],
  ['metadata', 'metadata'],
  ['serviceTier', 'service_tier'],
  ['verbosity', 'verbosity'],
  ['audio', 'audio'],
  ['store', 'store'],
  ['promptCacheKey', 'prompt_cache_key'],
  ['safetyIdentifier', 'safety_identifier'],
  ['cache', 'cache_control'],
];

/** Fields of this format alone, which clients of every format may send. */
const ownFields = new Set([
  ...['documents', 'citation_options', 'safety_mode', 'strict_tools', 'k', 'p', 'priority', 'raw_prompting'],
  ...['stop_sequences', 'truncation_strategy'],
]);

/** Without these the model would answer another question. */
const essential = new Set(['previous_response_id', 'conversation', 'background', 'prompt']);

/** Tokens to think with, for clients that say it in a word; the longest thinking has no bound. */
const budgets: ReadonlyMap<string, number> = new Map([
  ['minimal', 512],
  ['low', 1024],
  ['medium', 8192],
]);

/**
 * Writes a request for a call of any format.
 * @throws GatewayError `translation_unsupported` for several answers, spoken answers, and content that the API cannot take
 */
export function encodeCall(call: Call, context: CodecContext): JsonObject {
  refuse(call);
  for (const [field, name] of placeless) if (call[field] !== undefined) context.dropped(name);
  const extra = extraOf(call, context);
  const { messages, documents } = encodeMessages(call, context);
  const given = Array.isArray(extra.documents) ? extra.documents : [];
  return compact({
    ...extra,
    model: call.model,
    messages,
    documents: documents.length + given.length === 0 ? extra.documents : [...given, ...documents],
    ...encodeTools(call, context),
    response_format: formatOf(call),
    thinking: thinkingOf(call, context),
    max_tokens: call.maxTokens,
    temperature: call.temperature,
    p: call.topP ?? extra.p,
    k: call.topK ?? extra.k,
    seed: call.seed,
    stop_sequences: call.stop ?? extra.stop_sequences,
    frequency_penalty: call.frequencyPenalty,
    presence_penalty: call.presencePenalty,
    logprobs: call.logprobs,
    stream: call.stream,
  });
}

function refuse(call: Call): void {
  if (call.n !== undefined && call.n > 1) {
    throw new GatewayError('translation_unsupported', 'This provider gives one answer a request: n must be 1.', {
      param: 'n',
    });
  }
  if (call.modalities?.some((modality) => modality !== 'text')) {
    throw new GatewayError('translation_unsupported', 'This provider answers in text only.', { param: 'modalities' });
  }
}

function extraOf(call: Call, context: CodecContext): JsonObject {
  const kept: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(call.extra)) {
    if (essential.has(key) && value !== null && value !== false) {
      throw new GatewayError(
        'translation_unsupported',
        `This provider has no "${key}"; without it the answer would be wrong.`,
        { param: key },
      );
    }
    if (call.dialect === dialectName || ownFields.has(key)) kept[key] = value;
    else context.dropped(key);
  }
  return kept;
}

/** The format has no name, description or strictness of a schema: it is always kept to. */
function formatOf(call: Call): JsonObject | undefined {
  const format = call.responseFormat;
  if (format === undefined || format.type === 'text') return undefined;
  return compact({ type: 'json_object', json_schema: format.type === 'json_schema' ? format.schema : undefined });
}

function thinkingOf(call: Call, context: CodecContext): JsonObject | undefined {
  const { reasoning } = call;
  if (reasoning === undefined) return undefined;
  if (reasoning.summary !== undefined) context.dropped('reasoning.summary');
  const { effort, enabled, adaptive, budgetTokens } = reasoning;
  if (enabled === false || effort === 'none') return { type: 'disabled' };
  const asked = effort !== undefined || enabled === true || adaptive === true || budgetTokens !== undefined;
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgets.get(effort));
  return asked ? compact({ type: 'enabled', token_budget: budget }) : undefined;
}
