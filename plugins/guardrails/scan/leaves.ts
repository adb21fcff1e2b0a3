import { asArray, asObject, type Json, type JsonObject } from 'portcullis/sdk';
import { readKey } from './called-name.ts';
import { isTooDeep, readData } from './data.ts';
import { isEncodedText, isTextUrl } from './encoded-text.ts';
import type { Gathering, JsonPath, Speaker } from './reading.ts';

/** Fields that name and describe, and hold nothing that a model reads as text. */
export const silent: ReadonlySet<string> = new Set([
  'id',
  'type',
  'role',
  'status',
  'index',
  'object',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'item_id',
  'file_id',
  'container_id',
  'vector_store_id',
  'approval_request_id',
  'encrypted_content',
  'encrypted_index',
  'signature',
  'thought_signature',
  'thoughtSignature',
  'cache_control',
  'detail',
  'format',
  'media_type',
  'mediaType',
  'mime_type',
  'mimeType',
  'logprobs',
]);

/** Fields of bytes, where what they hold looks like base64. */
const payloads: ReadonlySet<string> = new Set(['data', 'bytes', 'base64', 'b64_json', 'file_data', 'result']);

/** What stands beside bytes, however few they are. */
const describers = ['format', 'media_type', 'mime_type', 'transcript', 'filename'] as const;

/** Below it, what looks like base64 may be a word. */
const shortestPayload = 64;

const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const dataUrl = /^data:[^;,]*(?:;[^;,]*)*;base64,[A-Za-z0-9+/_-]*={0,2}$/i;
/** Addresses, ids of files, and bytes that say that they are. */
const addresses = /^(?:data:[^,]*;base64,|(?:https?|gs|s3):\/\/\S+$|file[-_][\w-]+$)/i;
const mediumFields: ReadonlySet<string> = new Set(['url']);
const none: ReadonlySet<string> = new Set();

/** Gathers every text inside a value of which no form is known. Bytes, be they a file, sound or an image, are no text. */
export function readLeaves(
  found: Gathering,
  value: Json | undefined,
  path: JsonPath,
  speaker: Speaker,
  depth = 0,
): void {
  if (typeof value === 'string') found.text(path, value, speaker.role, speaker.kind, speaker.message);
  else if (Array.isArray(value)) {
    if (isTooDeep(found, depth)) return;
    for (const [at, item] of value.entries())
      if (mayBearText(item)) readLeaves(found, item, [...path, at], speaker, depth + 1);
  } else if (typeof value === 'object' && value !== null)
    readFields(found, value as JsonObject, path, speaker, none, depth);
}

/** Gathers every text of an object, but for the fields that its reader knows. */
export function readFields(
  found: Gathering,
  object: JsonObject,
  path: JsonPath,
  speaker: Speaker,
  known: ReadonlySet<string>,
  depth = 0,
): void {
  if (isTooDeep(found, depth)) return;
  for (const field of Object.keys(object)) {
    readKey(found, field, path, speaker);
    if (!silent.has(field) && !known.has(field)) readField(found, object, field, path, speaker, depth);
  }
}

/** Gathers what one field of an object says, whatever its name. */
export function readField(
  found: Gathering,
  object: JsonObject,
  field: string,
  path: JsonPath,
  speaker: Speaker,
  depth = 0,
): void {
  const value = object[field];
  if (!mayBearText(value)) return;
  if (field === 'image_url') readImage(found, value, path, speaker, depth);
  // What a document is made of: its caller names the members.
  else if (field === 'data' && typeof value === 'object') readData(found, value, [...path, field], speaker, depth + 1);
  else if (typeof value !== 'string') readLeaves(found, value, [...path, field], speaker, depth + 1);
  else if (field === 'text' || !isPayload(found, field, value, object))
    found.text([...path, field], value, speaker.role, speaker.kind, speaker.message);
}

function readImage(found: Gathering, value: Json, path: JsonPath, speaker: Speaker, depth: number): void {
  const url = asObject(value)?.url ?? value;
  if (typeof url === 'string') found.images.push({ path, url });
  readMedium(found, value, [...path, 'image_url'], speaker, depth + 1);
}

/** Gathers the words that stand where an address is to be, or bytes. */
export function readMedium(
  found: Gathering,
  value: Json | undefined,
  path: JsonPath,
  speaker: Speaker,
  depth = 0,
): void {
  if (typeof value === 'string') {
    if (isTextUrl(value)) found.unreadable.push('A medium holds an encoded text file, which no check can read.');
    else if (!addresses.test(value) && !isLongPayload(value)) readLeaves(found, value, path, speaker);
    return;
  }
  const medium = asObject(value);
  if (medium !== undefined) {
    if (typeof medium.url === 'string') readMedium(found, medium.url, [...path, 'url'], speaker);
    readFields(found, medium, path, speaker, typeof medium.url === 'string' ? mediumFields : none, depth);
  } else if (!isTooDeep(found, depth))
    for (const [at, item] of asArray(value).entries()) readMedium(found, item, [...path, at], speaker, depth + 1);
}

/** Whether a text can be the bytes of a medium. */
export function isEncoded(value: string): boolean {
  return base64.test(value) || addresses.test(value);
}

export function isLongPayload(value: string): boolean {
  return value.length >= shortestPayload && base64.test(value);
}

function mayBearText(value: Json | undefined): value is Json {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

function isPayload(found: Gathering, field: string, value: string, holder: JsonObject): boolean {
  if (isEncodedText(field, value, holder))
    found.unreadable.push(`${field} holds an encoded text file, which no check can read.`);
  if (payloads.has(field)) {
    if (holder.type === 'redacted_thinking') return true;
    const isLong = value.length >= shortestPayload;
    if ((isLong || describers.some((name) => holder[name] !== undefined)) && base64.test(value)) return true;
  }
  return dataUrl.test(value);
}
