import { asArray, type Json, type JsonObject, namesCredential } from 'portcullis/sdk';
import { readKey } from './called-name.ts';
import { isTooDeep } from './data.ts';
import { isLongPayload, readField, readLeaves, silent } from './leaves.ts';
import type { Gathering, JsonPath, Speaker } from './reading.ts';

/** Of media and documents, whose own members say how they are read. */
const formed: ReadonlySet<string> = new Set(['image_url', 'data']);

/** Gathers what a member says that its format does not know: no name inside it tells that there is nothing to read. */
export function readUnknownMember(
  found: Gathering,
  holder: JsonObject,
  field: string,
  path: JsonPath,
  speaker: Speaker,
  depth = 0,
): void {
  const value = holder[field];
  if (typeof value === 'object' && value !== null && !formed.has(field))
    readInside(found, value, [...path, field], speaker, depth + 1);
  else readField(found, holder, field, path, speaker, depth);
}

function readInside(found: Gathering, value: Json, path: JsonPath, speaker: Speaker, depth: number): void {
  if (typeof value !== 'object' || value === null) {
    readLeaves(found, value, path, speaker);
    return;
  }
  if (isTooDeep(found, depth)) return;
  if (Array.isArray(value)) {
    for (const [at, item] of asArray(value).entries()) readInside(found, item, [...path, at], speaker, depth + 1);
    return;
  }
  const object = value as JsonObject;
  for (const field of Object.keys(object)) {
    const member = object[field];
    readKey(found, field, path, speaker);
    const isOpaque = silent.has(field) && typeof member === 'string' && isLongPayload(member);
    if (!isOpaque && !namesCredential(field)) readUnknownMember(found, object, field, path, speaker, depth);
  }
}
