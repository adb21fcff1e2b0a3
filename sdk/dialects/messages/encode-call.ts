import { GatewayError } from '../../errors.ts';
import { asObject, compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { lookup } from '../lookup.ts';
import type { Call } from '../neutral.ts';
import { cacheControl } from './cache.ts';
import { closedSchema } from './closed-schema.ts';
import { encodeTurns } from './encode-turns.ts';
import { encodeEffort, encodeMaxTokens, encodeSampling, encodeThinking } from './thinking.ts';
import { encodeTools } from './tools.ts';

/** Fields of this format without a neutral name: what a client of another format may add when it is not strict. */
const extraFields: ReadonlySet<string> = new Set([
  'container',
  'context_management',
  'diagnostics',
  'inference_geo',
  'mcp_servers',
  'speed',
]);

/** Neutral fields that the format has no place for, by the name that clients know; a value that says nothing is no loss. */
const placeless: readonly (readonly [keyof Call, string])[] = [
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['logitBias', 'logit_bias'],
  ['logprobs', 'logprobs'],
  ['topLogprobs', 'top_logprobs'],
  ['metadata', 'metadata'],
  ['verbosity', 'verbosity'],
  ['audio', 'audio'],
  ['store', 'store'],
  ['promptCacheKey', 'prompt_cache_key'],
];

const serviceTiers: Readonly<Record<string, string>> = { auto: 'auto', default: 'standard_only' };

/**
 * Writes a Messages API request for a call of any dialect.
 * @throws GatewayError `translation_unsupported` for several answers, spoken answers or input that the API cannot take;
 *   `bad_request` for a conversation without any turn
 */
export function encodeCall(call: Call, context: CodecContext): JsonObject {
  refuse(call);
  for (const [field, name] of placeless) if (says(call[field])) context.dropped(name);
  if (call.seed !== undefined) context.dropped('seed');
  const thinking = encodeThinking(call, context);
  const { system, messages } = encodeTurns(call, context);
  const extra = encodeExtra(call, context);
  const fields = compact({
    model: call.model,
    max_tokens: encodeMaxTokens(call, thinking),
    system,
    messages,
    ...encodeTools(call, context),
    thinking,
    output_config: encodeOutput(call, context),
    ...encodeSampling(call, thinking, context),
    stop_sequences: encodeStop(call, context),
    metadata: encodeMetadata(call, context),
    service_tier: encodeServiceTier(call, context),
    cache_control: cacheControl(call.cache),
    stream: call.stream,
  });
  return { ...fields, ...merged(fields, extra) };
}

// Penalties of 0, no log probabilities and no storage are what the format does anyway.
function says(value: unknown): boolean {
  return value !== undefined && value !== 0 && value !== false;
}

function refuse(call: Call): void {
  if (call.n !== undefined && call.n > 1) {
    throw new GatewayError('translation_unsupported', 'The Messages API gives one answer a request: n must be 1.', {
      param: 'n',
    });
  }
  if (call.modalities?.some((modality) => modality !== 'text')) {
    throw new GatewayError('translation_unsupported', 'The Messages API answers in text only.', {
      param: 'modalities',
    });
  }
}

function encodeOutput(call: Call, context: CodecContext): JsonObject | undefined {
  const effort = encodeEffort(call, context);
  const format = encodeFormat(call, context);
  return effort === undefined && format === undefined ? undefined : compact({ effort, format });
}

function encodeFormat(call: Call, context: CodecContext): JsonObject | undefined {
  const format = call.responseFormat;
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'json_schema' && format.schema !== undefined) {
    const lost = (keyword: string) => context.dropped(`response_format.schema.${keyword}`);
    return {
      type: 'json_schema',
      schema: call.dialect === 'messages' ? format.schema : closedSchema(format.schema, lost),
    };
  }
  context.dropped('response_format');
  return undefined;
}

// The API refuses stop sequences of white space alone.
function encodeStop(call: Call, context: CodecContext): Json | undefined {
  const kept = call.stop?.filter((sequence) => sequence.trim() !== '') ?? [];
  if (kept.length < (call.stop?.length ?? 0)) context.dropped('stop');
  return kept.length === 0 ? undefined : kept;
}

// Both are opaque names of the end user; the older one wins.
function encodeMetadata(call: Call, context: CodecContext): JsonObject | undefined {
  const user = call.user ?? call.safetyIdentifier;
  if (user !== call.safetyIdentifier && call.safetyIdentifier !== undefined) context.dropped('safety_identifier');
  return user === undefined ? undefined : { user_id: user };
}

function encodeServiceTier(call: Call, context: CodecContext): string | undefined {
  if (call.serviceTier === undefined || call.dialect === 'messages') return call.serviceTier;
  const tier = lookup(serviceTiers, call.serviceTier);
  if (tier === undefined) context.dropped('service_tier');
  return tier;
}

function encodeExtra(call: Call, context: CodecContext): JsonObject {
  const kept: { [key: string]: Json } = {};
  for (const key in call.extra) {
    const value = call.extra[key];
    if (value === undefined) continue;
    if (call.dialect === 'messages' || (!context.strict && extraFields.has(key))) kept[key] = value;
    else context.dropped(key);
  }
  return kept;
}

// Of `output_config` and `metadata` a part is neutral and a part is not.
function merged(fields: JsonObject, extra: JsonObject): JsonObject {
  const joined: { [key: string]: Json } = {};
  for (const key in extra) {
    const value = extra[key];
    const ours = asObject(fields[key]);
    const theirs = asObject(value);
    if (value !== undefined) joined[key] = ours && theirs ? { ...theirs, ...ours } : value;
  }
  return joined;
}
