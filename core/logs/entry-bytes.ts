import type { FeedbackRow, Json, JsonObject, LogBodies, LogEntry } from 'portcullis/sdk';

/** Of a row with its strings, as measured in memory; what has no bound comes on top. */
const rowBytes = 1536;
const feedbackBytes = 512;
const memberBytes = 64;

/** What waits in a queue: a request, or a feedback. */
export type Queued = LogEntry | FeedbackRow;

export function isEntry(queued: Queued): queued is LogEntry {
  return 'row' in queued;
}

/** An upper bound of the memory that it holds: texts count two bytes a character. */
export function bytesOf(queued: Queued): number {
  if (!isEntry(queued)) return feedbackBytes + membersBytes(queued.metadata);
  const { row, bodies } = queued;
  let bytes = rowBytes + membersBytes(row.metadata);
  for (const report of row.guardrails) bytes += jsonBytes(report);
  return bodies === undefined ? bytes : bytes + sideBytes(bodies.request) + sideBytes(bodies.response);
}

function sideBytes({ headers, body }: LogBodies['request']): number {
  return membersBytes(headers) + (typeof body === 'string' ? 2 * body.length : body.byteLength);
}

function membersBytes(members: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const name in members) bytes += memberBytes + 2 * (name.length + (members[name]?.length ?? 0));
  return bytes;
}

function jsonBytes(value: Json | undefined): number {
  if (typeof value === 'string') return memberBytes + 2 * value.length;
  if (typeof value !== 'object' || value === null) return memberBytes;
  let bytes = memberBytes;
  const members = value as JsonObject;
  for (const name in members) bytes += jsonBytes(members[name]);
  return bytes;
}
