import type { LogBodies, LogEntry } from 'portcullis/sdk';

type Side = LogBodies['request'];

/** The entry with each body at most so many bytes of UTF-8; what was cut is marked. */
export function withBodiesCut(entry: LogEntry, maxBytes: number): LogEntry {
  const { bodies } = entry;
  if (bodies === undefined) return entry;
  const { request, response } = bodies;
  const shortRequest = isShort(request.body, maxBytes);
  const shortResponse = isShort(response.body, maxBytes);
  if (shortRequest && shortResponse) return entry;
  return {
    row: entry.row,
    bodies: {
      request: shortRequest ? request : cut(request, maxBytes),
      response: shortResponse ? response : cut(response, maxBytes),
      truncated: true,
    },
  };
}

function isShort(body: Side['body'], maxBytes: number): boolean {
  if (typeof body !== 'string') return body.byteLength <= maxBytes;
  // No character takes more than three bytes for each of its code units.
  return body.length * 3 <= maxBytes || (body.length <= maxBytes && Buffer.byteLength(body) <= maxBytes);
}

function cut({ headers, body }: Side, maxBytes: number): Side {
  const bytes = typeof body === 'string' ? Buffer.from(body.slice(0, maxBytes)) : body;
  return { headers, body: bytes.subarray(0, wholeCharacters(bytes, maxBytes)) };
}

/** The most bytes, up to the bound, that do not end within a character. */
function wholeCharacters(bytes: Uint8Array, maxBytes: number): number {
  if (bytes.length <= maxBytes) return bytes.length;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
