import { asBoolean, asNumber, asObject, asString, compact, type Json, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, ResponseFormat } from '../neutral.ts';
import { present } from '../present.ts';
import { readCacheMark } from './cache-mark.ts';
import { readMessages } from './decode-message.ts';
import { readToolChoice, readTools } from './decode-tools.ts';
import { isThinking, readReasoning } from './reasoning.ts';

/**
 * Reads a chat completion request. Fields that are null count as absent. Deprecated forms (`max_tokens`, `functions`,
 * `function_call`, role `function`) become their current ones. Whatever has no neutral place stays in `extra`.
 */
export function decodeCall(body: JsonObject, context: CodecContext): Call {
  const responseFormat = readResponseFormat(body.response_format, context);
  const cache = readCacheMark(body.cache_control);
  const completionTokens = asNumber(body.max_completion_tokens);
  return present<Call>({
    model: asString(body.model) ?? '',
    messages: readMessages(body, context),
    tools: readTools(body, context),
    toolChoice: readToolChoice(body),
    responseFormat,
    reasoning: readReasoning(body, context),
    maxTokens: completionTokens ?? asNumber(body.max_tokens),
    stop: readStop(body.stop),
    cache,
    ...readSampling(body),
    parallelToolCalls: asBoolean(body.parallel_tool_calls),
    logprobs: asBoolean(body.logprobs),
    topLogprobs: asNumber(body.top_logprobs),
    metadata: asObject(body.metadata),
    serviceTier: asString(body.service_tier),
    verbosity: asString(body.verbosity),
    modalities: stringList(body.modalities),
    audio: asObject(body.audio),
    store: asBoolean(body.store),
    promptCacheKey: asString(body.prompt_cache_key),
    safetyIdentifier: asString(body.safety_identifier),
    dialect: 'chat',
    extra: compact({
      ...omit(body, known),
      response_format: responseFormat === undefined ? unlessNull(body.response_format) : undefined,
      thinking: isThinking(body.thinking) ? undefined : unlessNull(body.thinking),
      cache_control: cache === undefined ? unlessNull(body.cache_control) : undefined,
      max_tokens: completionTokens === undefined ? undefined : unlessNull(body.max_tokens),
      stream_options: otherStreamOptions(body.stream_options),
    }),
  });
}

/** The fields that chat and completions requests share. */
export function readSampling(body: JsonObject): Partial<Call> {
  return present<Partial<Call>>({
    temperature: asNumber(body.temperature),
    topP: asNumber(body.top_p),
    topK: asNumber(body.top_k),
    n: asNumber(body.n),
    seed: asNumber(body.seed),
    presencePenalty: asNumber(body.presence_penalty),
    frequencyPenalty: asNumber(body.frequency_penalty),
    logitBias: asObject(body.logit_bias),
    user: asString(body.user),
    stream: asBoolean(body.stream),
    includeUsage: asBoolean(asObject(body.stream_options)?.include_usage),
  });
}

/** Reads `stop`: one string, or a list of them. */
export function readStop(value: Json | undefined): readonly string[] | undefined {
  return typeof value === 'string' ? [value] : stringList(value);
}

/** `stream_options` without what the neutral call holds; undefined when nothing else is in it. */
export function otherStreamOptions(value: Json | undefined): JsonObject | undefined {
  const rest = omit(asObject(value) ?? {}, includeUsage);
  return Object.keys(rest).length === 0 ? undefined : rest;
}

export const samplingFields = [
  'temperature',
  'top_p',
  'top_k',
  'n',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'user',
  'stream',
  'stream_options',
] as const;

const known: ReadonlySet<string> = new Set([
  ...samplingFields,
  'model',
  'messages',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'response_format',
  'reasoning_effort',
  'thinking',
  'max_completion_tokens',
  'max_tokens',
  'stop',
  'cache_control',
  'parallel_tool_calls',
  'logprobs',
  'top_logprobs',
  'metadata',
  'service_tier',
  'verbosity',
  'modalities',
  'audio',
  'store',
  'prompt_cache_key',
  'safety_identifier',
]);

const includeUsage: ReadonlySet<string> = new Set(['include_usage']);
const schemaFields: ReadonlySet<string> = new Set(['name', 'description', 'schema', 'strict']);

function readResponseFormat(value: Json | undefined, context: CodecContext): ResponseFormat | undefined {
  const format = asObject(value);
  if (format?.type === 'text' || format?.type === 'json_object') return { type: format.type };
  const described = asObject(format?.json_schema);
  const name = asString(described?.name);
  if (format?.type !== 'json_schema' || described === undefined || name === undefined) return undefined;
  for (const field in described) {
    if (!schemaFields.has(field)) context.dropped(`response_format.json_schema.${field}`);
  }
  return present<Extract<ResponseFormat, { type: 'json_schema' }>>({
    type: 'json_schema',
    name,
    description: asString(described.description),
    schema: asObject(described.schema),
    strict: asBoolean(described.strict),
  });
}

function stringList(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((item): item is string => typeof item === 'string');
}

function unlessNull(value: Json | undefined): Json | undefined {
  return value === null ? undefined : value;
}
