import { GatewayError } from '../../errors.ts';
import { asObject, asObjects, compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { lookup } from '../lookup.ts';
import type { Call } from '../neutral.ts';
import { encodeMetadata, encodeOutput, encodeSettings, encodeTier } from './encode-config.ts';
import { encodeTools } from './encode-tools.ts';
import { encodeTurns } from './encode-turns.ts';
import { unsupported } from './media.ts';

/** Neutral fields that the format has no place for, by the name that clients know; a value that says nothing is no loss. */
const placeless: readonly (readonly [keyof Call, string])[] = [
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['logitBias', 'logit_bias'],
  ['logprobs', 'logprobs'],
  ['topLogprobs', 'top_logprobs'],
  ['seed', 'seed'],
  ['user', 'user'],
  ['verbosity', 'verbosity'],
  ['audio', 'audio'],
  ['store', 'store'],
  ['promptCacheKey', 'prompt_cache_key'],
  ['safetyIdentifier', 'safety_identifier'],
];

/** Fields of this format without a neutral name, by both of their spellings. */
const own: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['guardrailConfig', 'guardrail_config'],
    ['additionalModelRequestFields', 'additional_model_request_fields'],
    ['additionalModelResponseFieldPaths', 'additional_model_response_field_paths'],
    ['performanceConfig', 'performance_config'],
    ['requestMetadata', 'request_metadata'],
    ['promptVariables', 'prompt_variables'],
    ['outputConfig', 'outputConfig'],
    ['inferenceConfig', 'inference_config'],
  ].flatMap(([camel = '', snake = '']) => [
    [camel, camel],
    [snake, camel],
  ]),
);

/** Fields of other formats that mean nothing to any model of this one. */
const foreign = new Set([
  ...['web_search_options', 'prediction', 'include', 'truncation', 'text', 'max_tool_calls', 'prompt_cache_retention'],
  ...['safetySettings', 'safety_settings', 'cachedContent', 'cached_content', 'labels', 'toolConfig', 'container'],
  ...['generationConfig', 'generation_config', 'mcp_servers', 'metadata', 'stream_options', 'diagnostics', 'input'],
  ...['messages', 'system', 'tools', 'tool_choice', 'model', 'stream', 'modelId', 'output_config'],
]);
/** Without these the model would answer another question. */
const essential = new Set(['previous_response_id', 'conversation', 'background', 'prompt']);

/**
 * The Converse request of a call; the model is in the URL, never here. Fields that nobody here knows go to the model, as
 * `additionalModelRequestFields`.
 * @throws GatewayError `translation_unsupported` and `bad_request`, see the parts
 */
export function encodeCall(call: Call, context: CodecContext): JsonObject {
  refuse(call);
  for (const [field, name] of placeless) if (says(call[field])) context.dropped(name);
  const carried = call.dialect === 'converse' ? { top: call.extra, ofModel: {} } : carriedOf(call.extra, context);
  const tools = encodeTools(call, context);
  const settings = encodeSettings(call, context);
  const { system, messages } = encodeTurns(call, tools.toolConfig !== undefined, context);
  const fields = compact({
    messages,
    system: system.length === 0 ? undefined : system,
    inferenceConfig: settings.inferenceConfig,
    toolConfig: tools.toolConfig,
    outputConfig: encodeOutput(call, context),
    serviceTier: encodeTier(call, context),
    requestMetadata: encodeMetadata(call, context),
    additionalModelRequestFields: ofModel({ ...settings.ofModel, ...carried.ofModel }, tools.ofModel),
  });
  return joined(fields, carried.top);
}

// Penalties of 0, no log probabilities and no storage are what the format does anyway.
function says(value: unknown): boolean {
  return value !== undefined && value !== 0 && value !== false;
}

function refuse(call: Call): void {
  if (call.n !== undefined && call.n > 1) {
    throw unsupported('The Converse API gives one answer a request: n must be 1.', 'n');
  }
  if (call.modalities?.some((modality) => modality !== 'text')) {
    throw unsupported('The Converse API answers in text only.', 'modalities');
  }
}

function carriedOf(
  extra: JsonObject,
  context: CodecContext,
): { readonly top: JsonObject; readonly ofModel: JsonObject } {
  const top: { [key: string]: Json } = {};
  const model: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(extra)) {
    if (essential.has(key) && value !== null && value !== false) {
      throw new GatewayError(
        'translation_unsupported',
        `This provider has no "${key}"; without it the answer would be wrong.`,
        { param: key },
      );
    }
    const name = lookup(own, key);
    if (name !== undefined) top[name] ??= value;
    else if (foreign.has(key) || essential.has(key)) context.dropped(key);
    else model[key] = value;
  }
  return { top, ofModel: model };
}

function ofModel(fields: JsonObject, tools: readonly JsonObject[]): JsonObject | undefined {
  const given = asObjects(fields.tools);
  const all = compact({ ...fields, tools: tools.length === 0 ? fields.tools : [...given, ...tools] });
  return Object.keys(all).length === 0 ? undefined : all;
}

/** What the caller gives in this format's own words wins, field by field. */
function joined(fields: JsonObject, given: JsonObject): JsonObject {
  const all: { [key: string]: Json } = { ...fields };
  for (const [key, value] of Object.entries(given)) {
    const [ours, theirs] = [asObject(fields[key]), asObject(value)];
    all[key] = ours !== undefined && theirs !== undefined ? { ...ours, ...theirs } : value;
  }
  return all;
}
