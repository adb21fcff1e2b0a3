export type SignatureMaker = 'messages' | 'responses' | 'gemini';

/** Enough base64 for the envelopes below: two tags, two lengths and one byte. */
const headCharacters = 24;
const nested = 0x12;
const opening = 0x0a;
const geminiVersion = 0x01;

/**
 * Which format's provider made a signature of thinking, by the shape of its first bytes; undefined when that does not tell.
 * Providers refuse a request that holds a signature of another maker, and histories move between providers.
 *
 * - responses: a Fernet token, base64 of the version byte 0x80 and a time stamp (spec of Fernet).
 * - gemini: a protobuf field of bytes that begin with the version 1, alone or nested once; 1 can begin no protobuf message.
 * - messages: a protobuf message nested once in another.
 */
export function makerOf(signature: string): SignatureMaker | undefined {
  if (signature.startsWith('gAAAA')) return 'responses';
  const head = Buffer.from(signature.slice(0, headCharacters), 'base64');
  const isNested = head[0] === nested;
  const at = isNested ? pastLength(head, 1) : 0;
  if (head[at] !== opening) return undefined;
  const first = head[pastLength(head, at + 1)];
  if (first === undefined) return undefined;
  if (first === geminiVersion) return 'gemini';
  return isNested ? 'messages' : undefined;
}

// A length is a varint: its last byte is the one without the highest bit.
function pastLength(bytes: Buffer, from: number): number {
  let at = from;
  while ((bytes[at] ?? 0) >= 0x80) at += 1;
  return at + 1;
}
