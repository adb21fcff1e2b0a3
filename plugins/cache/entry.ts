import { asNumber, asObject, asString, type JsonObject, type Outcome, parseJson, type Usage } from 'portcullis/sdk';

/** A reply as it is kept. */
export interface Entry {
  /** Epoch milliseconds at which it was made. */
  readonly madeAt: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the bytes are those of a stream that ended well. */
  readonly stream: boolean;
  readonly bytes: Uint8Array;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly usage: Usage | undefined;
  /** What it cost, in billionths of a US dollar; undefined: no price was known. */
  readonly nanoUsd: number | undefined;
}

/** Headers that speak of the reply, and not of the call that made it. */
const keptHeaders = ['content-type', 'content-language'] as const;

export function keptHeadersOf(headers: Outcome['headers']): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = headers[name];
    if (typeof value === 'string') kept[name] = value;
  }
  return kept;
}

const version = 1;
const prefixBytes = 5;

/** One version byte, the length of the head in four bytes, the head as JSON, the bytes of the reply. */
export function packed({ bytes, ...facts }: Entry): Buffer {
  const head = Buffer.from(JSON.stringify({ ...facts, length: bytes.byteLength }));
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt8(version, 0);
  prefix.writeUInt32LE(head.length, 1);
  return Buffer.concat([prefix, head, bytes]);
}

/** Undefined for what this version has not packed, or what has lost a part. */
export function unpacked(packed: Uint8Array): Entry | undefined {
  const buffer = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (buffer.length < prefixBytes || buffer[0] !== version) return undefined;
  const headEnd = prefixBytes + buffer.readUInt32LE(1);
  const head = asObject(parseJson(buffer.toString('utf8', prefixBytes, headEnd)));
  const bytes = buffer.subarray(headEnd);
  const madeAt = asNumber(head?.madeAt);
  const status = asNumber(head?.status);
  if (head === undefined || madeAt === undefined || status === undefined || head.length !== bytes.length)
    return undefined;
  return {
    madeAt,
    status,
    headers: (asObject(head.headers) ?? {}) as Record<string, string>,
    stream: head.stream === true,
    bytes,
    provider: asString(head.provider),
    model: asString(head.model),
    usage: usageIn(head),
    nanoUsd: asNumber(head.nanoUsd),
  };
}

function usageIn({ usage }: JsonObject): Usage | undefined {
  // It was written from one.
  return asObject(usage) as Usage | undefined;
}
