import type { Json, JsonObject } from 'portcullis/sdk';
import { saysMore } from './called-name.ts';
import { isTooDeep, readData } from './data.ts';
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
]);

/** Under these, members are named by the caller. */
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'defs']);

const speaker: Speaker = { role: 'system', kind: 'text', message: -1 };

/** What a request says of its tools and of the answer's form. It is of no message: only the scope of all covers it. */
export function readDescriptions(found: Gathering, body: JsonObject, at: JsonPath = []): void {
  for (const place of places) {
    const value = body[place];
    if (typeof value !== 'object' || value === null) continue;
    found.describe((later) => describe(later, value, [...at, place], false, 0));
  }
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
    for (const field of Object.keys(body))
      if (!known.has(field) && !plain.has(field)) readUnknownMember(later, body, field, at, speaker);
  });
}

/** @param path is walked along: whoever keeps it, copies it */
function describe(found: Gathering, value: object, path: (string | number)[], isNamed: boolean, depth: number): void {
  if (isTooDeep(found, depth)) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const item: Json = value[index];
      if (typeof item !== 'object' || item === null) continue;
      path.push(index);
      describe(found, item, path, false, depth + 1);
      path.pop();
    }
    return;
  }
  const object = value as JsonObject;
  for (const field in object) {
    const member = object[field];
    const tells =
      !isNamed && (telling.has(field) || (field === 'name' && typeof member === 'string' && saysMore(member)));
    if (member === undefined || member === null || !(tells || typeof member === 'object')) continue;
    path.push(field);
    if (tells) readData(found, member, [...path], speaker, depth);
    else describe(found, member as object, path, !isNamed && named.has(field), depth + 1);
    path.pop();
  }
}
