import { asObject, asString, type Json, type JsonObject } from 'portcullis/sdk';

/** Names of this API by those of the chat format. */
export type Names = ReadonlyMap<string, string>;

export const sharedNames: Names = new Map([
  ['max_tokens', 'maxTokens'],
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['seed', 'seed'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['presence_penalty', 'presencePenalty'],
  ['stream', 'isStream'],
]);

/** Fields that are written by functions of their own. */
const written = new Set([
  ...['model', 'messages', 'tools', 'tool_choice', 'response_format', 'stop', 'stream_options', 'logprobs'],
  ...['top_logprobs', 'reasoning_effort', 'verbosity', 'service_tier', 'prediction', 'api_format'],
]);

/** The fields of a request that have one name for another; those that are unknown keep theirs, in lowerCamelCase. */
export function plainFields(body: JsonObject, names: Names): { readonly [key: string]: Json } {
  const fields: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(body)) {
    if (!written.has(key) && value !== null) fields[names.get(key) ?? camel(key)] = value;
  }
  return fields;
}

export function camel(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The value with all keys in lowerCamelCase. */
export function camelKeys(value: Json | undefined): Json | undefined {
  return renamed(value, camel);
}

/** The value with all keys in snake_case. */
export function snakeKeys(value: Json | undefined): Json | undefined {
  return renamed(value, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function renamed(value: Json | undefined, rename: (name: string) => string): Json | undefined {
  if (Array.isArray(value)) return value.map((item: Json) => renamed(item, rename) ?? null);
  const object = asObject(value);
  if (object === undefined) return value;
  return Object.fromEntries(Object.entries(object).map(([key, item]) => [rename(key), renamed(item, rename) ?? null]));
}

export function stopOf(stop: Json | undefined): Json | undefined {
  return typeof stop === 'string' ? [stop] : (stop ?? undefined);
}

/** Streams are always asked to tell their counts. */
export function streamOptionsOf(body: JsonObject): JsonObject | undefined {
  return body.stream === true ? { isIncludeUsage: true } : undefined;
}

export function upper(value: Json | undefined): string | undefined {
  return asString(value)?.toUpperCase();
}

/** The text of a message. */
export function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: Json) => asString(asObject(part)?.text) ?? '').join('') : '';
}
