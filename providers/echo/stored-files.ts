import { asString, GatewayError, type JsonObject, type LocalReply } from 'portcullis/sdk';
import type { SentBody } from './body.ts';
import { absent, type Kind, type Place, shelfAt, started } from './collections.ts';
import { bytesReply } from './wire.ts';

const path = '/files';
const maxBytes = 8 * 1024 * 1024;
const contents = new Map<string, Uint8Array>();

export const files: Kind = {
  path,
  object: 'file',
  deleted: 'file',
  create: upload,
  removable: true,
  afterRemoval: ({ id }) => contents.delete(String(id)),
  views: { content: ({ id }) => contentReply(String(id)) },
};

function upload({ json, files: sent }: SentBody, place: Place): JsonObject {
  const file = sent.find(({ field }) => field === 'file');
  if (file === undefined) throw new GatewayError('bad_request', 'file is required.', { param: 'file' });
  return describe(file.bytes, file.filename, asString(json.purpose) ?? 'user_data', place);
}

/** Keeps what the echo itself has written. */
export function keepFile(bytes: Uint8Array, filename: string, purpose: string, place: Place): string {
  return String(shelfAt(path).put(describe(bytes, filename, purpose, place)).id);
}

export function contentOf(id: string): Uint8Array | undefined {
  return shelfAt(path).get(id) === undefined ? undefined : contents.get(id);
}

function describe(bytes: Uint8Array, filename: string, purpose: string, place: Place): JsonObject {
  if (bytes.length > maxBytes)
    throw new GatewayError('payload_too_large', `The echo keeps files of up to ${maxBytes} bytes.`, { param: 'file' });
  const file = started('file', 'file-', place);
  contents.set(String(file.id), bytes);
  for (const id of contents.keys()) if (id !== file.id && shelfAt(path).get(id) === undefined) contents.delete(id);
  return { ...file, bytes: bytes.length, filename, purpose, status: 'processed' };
}

function contentReply(id: string): LocalReply {
  const bytes = contentOf(id);
  if (bytes === undefined) throw absent(id);
  return bytesReply(bytes, 'application/octet-stream');
}
