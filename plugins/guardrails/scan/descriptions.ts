import { type Json, type JsonObject, namesCredential } from 'portcullis/sdk';
import { readKey, readSetting, saysMore } from './called-name.ts';
import { isTooDeep, readData } from './data.ts';
import { isLongPayload } from './leaves.ts';
import type { Gathering, JsonPath, Speaker } from './reading.ts';
import { readUnknownMember } from './unknown.ts';

/** Where a request says what its tools are, and of what form the answer is to be. */
const places = [
  ...['tools', 'functions', 'response_format', 'text', 'output_config', 'output_format'],
  ...['generationConfig', 'generation_config'],
] as const;

/** What tells a model something, at any depth of tools and JSON schemas. */
const telling: ReadonlySet<string> = new Set([
  ...['description', 'server_description', 'title', 'definition', '$comment'],
  ...['enum', 'const', 'default', 'example', 'examples', 'input_examples'],
  // Where a search takes its user to be, and what it filters for.
  ...['city', 'region', 'country', 'timezone', 'value'],
]);

/** What a tool that the provider runs may reach: a change would lead it elsewhere. */
const addresses: ReadonlySet<string> = new Set([
  ...['server_url', 'server_label', 'url', 'allowed_domains', 'blocked_domains', 'excluded_domains'],
]);

/** Where an answer stops is nothing that a model reads. */
const unspoken: ReadonlySet<string> = new Set(['stopSequences', 'stop_sequences']);

/** Under these, members are named by the caller. */
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'defs']);

const speaker: Speaker = { role: 'system', kind: 'text', message: -1 };

/**
 * What a request says of its tools and of the answer's form. It is of no message: only the scope of all covers it.
 * @param more places that one format has
 */
export function readDescriptions(
  found: Gathering,
  body: JsonObject,
  at: JsonPath = [],
  more: readonly string[] = [],
): void {
  for (const list of [places, more])
    for (const place of list) {
      const value = body[place];
      if (value !== undefined) readPlace(found, value, place, at);
    }
}

function readPlace(found: Gathering, value: Json, place: string, at: JsonPath): void {
  if (typeof value === 'string') found.describe((later) => readText(later, place, value, [...at, place]));
  else if (typeof value === 'object' && value !== null)
    found.describe((later) => describe(later, value, [...at, place], false, 0));
}

/** Members of requests without prose, whatever format they are of. */
const plain: ReadonlySet<string> = new Set([
  ...['model', 'models', 'user', 'metadata', 'stop', 'stop_sequences', 'stream_options', 'service_tier', 'provider'],
  ...['encoding_format', 'prompt_cache_key', 'prompt_cache_retention', 'safety_identifier', 'cache_control'],
  ...['tool_choice', 'function_call', 'modalities', 'audio', 'reasoning', 'reasoning_effort', 'thinking', 'verbosity'],
]);

/** What stands in members that the format does not know, but whoever gets the request may: of no message either. */
export function readUnknown(found: Gathering, body: JsonObject, known: ReadonlySet<string>, at: JsonPath = []): void {
  found.describe((later) => {
    for (const field of Object.keys(body)) {
      if (known.has(field) || plain.has(field)) continue;
      readKey(later, field, at, speaker);
      readUnknownMember(later, body, field, at, speaker);
    }
  });
}

/** @param path is walked along: whoever keeps it, copies it */
function describe(found: Gathering, value: object, path: (string | number)[], isNamed: boolean, depth: number): void {
  if (isTooDeep(found, depth)) return;
  if (Array.isArray(value)) {
    const field = String(path.at(-1));
    for (let index = 0; index < value.length; index += 1) {
      const item: Json = value[index];
      path.push(index);
      if (typeof item === 'string') readText(found, field, item, path);
      else if (typeof item === 'object' && item !== null) describe(found, item, path, false, depth + 1);
      path.pop();
    }
    return;
  }
  const object = value as JsonObject;
  for (const field in object) {
    const member = object[field];
    readKey(found, field, path, speaker);
    if (member === undefined || member === null || (!isNamed && isHidden(field))) continue;
    const tells =
      !isNamed && (telling.has(field) || (field === 'name' && typeof member === 'string' && saysMore(member)));
    path.push(field);
    if (tells) readData(found, member, [...path], speaker, depth);
    else if (typeof member === 'string') readText(found, field, member, path);
    else if (typeof member === 'object') describe(found, member, path, !isNamed && named.has(field), depth + 1);
    path.pop();
  }
}

function isHidden(field: string): boolean {
  return namesCredential(field) || unspoken.has(field);
}

/** Whoever gets a setting takes it as it is. */
function readText(found: Gathering, field: string, value: string, path: JsonPath): void {
  if (addresses.has(field)) found.fixed([...path], value, speaker);
  else if (!isLongPayload(value)) readSetting(found, value, path, speaker);
}
