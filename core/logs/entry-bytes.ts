import type { FeedbackRow, LogBodies, LogEntry } from 'portcullis/sdk';

/** Of a row with its strings, as measured in memory. */
const rowBytes = 1536;
const feedbackBytes = 512;
const headerBytes = 64;

/** What waits in a queue: a request, or a feedback. */
export type Queued = LogEntry | FeedbackRow;

export function isEntry(queued: Queued): queued is LogEntry {
  return 'row' in queued;
}

/** An upper bound of the memory that it holds: texts count two bytes a character. */
export function bytesOf(queued: Queued): number {
  if (!isEntry(queued)) return feedbackBytes;
  const { bodies } = queued;
  if (bodies === undefined) return rowBytes;
  return rowBytes + sideBytes(bodies.request) + sideBytes(bodies.response);
}

function sideBytes({ headers, body }: LogBodies['request']): number {
  let bytes = typeof body === 'string' ? 2 * body.length : body.byteLength;
  for (const name in headers) bytes += headerBytes + 2 * (headers[name]?.length ?? 0);
  return bytes;
}
