import type { LogBodies, LogEntry } from 'portcullis/sdk';

type Side = LogBodies['request'];

/** More than a body of its own that a view of bytes may keep in memory. */
const spareBytes = 8192;

/** The entry with each body at most so many bytes of UTF-8; what was cut is marked. */
export function withBodiesCut(entry: LogEntry, maxBytes: number): LogEntry {
  const { bodies } = entry;
  if (bodies === undefined) return entry;
  const { request, response, truncated } = bodies;
  const shortRequest = isShort(request.body, maxBytes);
  const shortResponse = isShort(response.body, maxBytes);
  if (shortRequest && shortResponse && isOwn(request.body) && isOwn(response.body)) return entry;
  return {
    row: entry.row,
    bodies: {
      request: own(request, shortRequest, maxBytes),
      response: own(response, shortResponse, maxBytes),
      truncated: truncated || !shortRequest || !shortResponse,
    },
  };
}

function isShort(body: Side['body'], maxBytes: number): boolean {
  if (typeof body !== 'string') return body.byteLength <= maxBytes;
  // No character takes more than three bytes for each of its code units.
  return body.length * 3 <= maxBytes || (body.length <= maxBytes && Buffer.byteLength(body) <= maxBytes);
}

/** Whether it keeps no larger memory alive. */
function isOwn(body: Side['body']): boolean {
  return typeof body === 'string' || body.buffer.byteLength <= body.byteLength + spareBytes;
}

function own(side: Side, short: boolean, maxBytes: number): Side {
  const { headers, body } = side;
  if (short && isOwn(body)) return side;
  // A copy: a slice would keep the whole body in memory.
  const bytes = typeof body === 'string' ? Buffer.from(body.slice(0, maxBytes)) : body;
  return { headers, body: Uint8Array.prototype.slice.call(bytes, 0, wholeCharacters(bytes, maxBytes)) };
}

/** The most bytes, up to the bound, that do not end within a character. */
function wholeCharacters(bytes: Uint8Array, maxBytes: number): number {
  if (bytes.length <= maxBytes) return bytes.length;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
