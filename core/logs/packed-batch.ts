import type { FeedbackRow, LogBodies, LogEntry, LogRow } from 'portcullis/sdk';
import { ByteWriter } from './byte-writer.ts';
import { hourMs } from './engine.ts';
import { rowLine, rowOfLine } from './row-line.ts';
import type { LogBatch } from './sink.ts';

/** Some requests that are kept together: of one hour, and at most about a MiB. */
export interface PackedBlock {
  /** When the last of them began. */
  readonly lastAt: number;
  /** Of each request, whether it has bodies. */
  readonly bodied: readonly boolean[];
  /** A line of JSON for each. */
  readonly rows: Uint8Array;
  /** The bodies one behind the other, and then a head for each request, a line of JSON; empty where none has any. */
  readonly bodies: Uint8Array;
  /** Where the heads begin. */
  readonly headsAt: number;
}

/** A batch as it goes to a thread: all its blocks are parts of one buffer, which is handed over and not copied. */
export interface PackedBatch {
  readonly blocks: readonly PackedBlock[];
  readonly feedback: readonly FeedbackRow[];
  readonly buffer: ArrayBuffer;
}

/** Where the bodies of a request stand, and what is not bytes of them. */
type Head = readonly [
  at: number,
  request: number,
  response: number,
  requestHeaders: Readonly<Record<string, string>>,
  responseHeaders: Readonly<Record<string, string>>,
  truncated: boolean,
];

const blockBytes = 1_048_576;
const firstBytes = 65_536;
/** Of a row as JSON, about; the buffer grows where more is needed. */
const rowBytes = 2048;
const lineEnd = '\n';
/** A mark of the byte order is part of a text as well. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** @param withBodies false: it is only said which requests have bodies */
export function packBatch({ entries, feedback }: LogBatch, withBodies = true): PackedBatch {
  const bytes = new ByteWriter(firstBytes + entries.length * rowBytes);
  const blocks: PackedPlaces[] = [];
  for (let at = 0; at < entries.length; ) {
    const end = withBodies ? blockEnd(entries, at) : hourEnd(entries, at);
    blocks.push(packBlock(bytes, entries, at, end, withBodies));
    at = end;
  }
  // The buffer may have been another while it grew.
  return {
    blocks: blocks.map(({ from, rowsEnd, bodiesEnd, ...block }) => ({
      ...block,
      rows: bytes.part(from, rowsEnd),
      bodies: bytes.part(rowsEnd, bodiesEnd),
    })),
    feedback,
    buffer: bytes.buffer,
  };
}

interface PackedPlaces extends Omit<PackedBlock, 'rows' | 'bodies'> {
  readonly from: number;
  readonly rowsEnd: number;
  readonly bodiesEnd: number;
}

function packBlock(
  bytes: ByteWriter,
  entries: readonly LogEntry[],
  at: number,
  end: number,
  withBodies: boolean,
): PackedPlaces {
  const from = bytes.length;
  const bodied: boolean[] = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  for (let index = at; index < end; index++) {
    const { row, bodies } = entries[index] as LogEntry;
    bytes.text(rowLine(row) + lineEnd);
    bodied.push(bodies !== undefined);
    lastAt = Math.max(lastAt, row.createdAt);
  }
  const rowsEnd = bytes.length;
  if (!withBodies || !bodied.includes(true)) return { lastAt, bodied, headsAt: 0, from, rowsEnd, bodiesEnd: rowsEnd };
  let heads = '';
  for (let index = at; index < end; index++) {
    const { bodies } = entries[index] as LogEntry;
    if (bodies !== undefined) heads += JSON.stringify(headOf(bytes, bodies, rowsEnd));
    heads += lineEnd;
  }
  const headsAt = bytes.length - rowsEnd;
  bytes.text(heads);
  return { lastAt, bodied, headsAt, from, rowsEnd, bodiesEnd: bytes.length };
}

function headOf(bytes: ByteWriter, { request, response, truncated }: LogBodies, from: number): Head {
  const at = bytes.length - from;
  const sizes = [put(bytes, request.body), put(bytes, response.body)] as const;
  return [at, ...sizes, request.headers, response.headers, truncated];
}

function put(bytes: ByteWriter, body: string | Uint8Array): number {
  return typeof body === 'string' ? bytes.text(body) : bytes.copy(body);
}

/** The first request of another hour. */
function hourEnd(entries: readonly LogEntry[], at: number): number {
  const hour = hourOf(entries[at]);
  let end = at + 1;
  while (end < entries.length && hourOf(entries[end]) === hour) end += 1;
  return end;
}

/** The same, or earlier where the bodies are many. */
function blockEnd(entries: readonly LogEntry[], at: number): number {
  const most = hourEnd(entries, at);
  let size = 0;
  for (let end = at; end < most; end++) {
    const bodies = entries[end]?.bodies;
    if (bodies !== undefined) size += bodies.request.body.length + bodies.response.body.length;
    if (size > blockBytes) return end + 1;
  }
  return most;
}

function hourOf(entry: LogEntry | undefined): number {
  return Math.floor((entry?.row.createdAt ?? 0) / hourMs);
}

/** The requests of a block, in their order. */
export function rowsOf(rows: Uint8Array): readonly LogRow[] {
  const lines = utf8.decode(rows).split(lineEnd);
  lines.pop();
  return lines.map(rowOfLine);
}

/** What a block has of some of its requests, each by its place. */
export function rowLines(rows: Uint8Array): (place: number) => LogRow {
  const lines = utf8.decode(rows).split(lineEnd);
  return (place) => rowOfLine(lines[place] ?? '');
}

/** The bodies of a request by its place; undefined: it has none. Texts are decoded here, and nowhere before. */
export function bodiesIn(bodies: Uint8Array, headsAt: number): (place: number) => LogBodies | undefined {
  const heads = utf8.decode(bodies.subarray(headsAt)).split(lineEnd);
  return (place) => {
    const line = heads[place] ?? '';
    if (line === '') return undefined;
    const [at, request, response, requestHeaders, responseHeaders, truncated] = JSON.parse(line) as Head;
    const middle = at + request;
    return {
      request: { headers: requestHeaders, body: utf8.decode(bodies.subarray(at, middle)) },
      response: { headers: responseHeaders, body: utf8.decode(bodies.subarray(middle, middle + response)) },
      truncated,
    };
  };
}

/** The batch as it was, with bodies as texts where they were packed. */
export function entriesOf({ blocks }: Pick<PackedBatch, 'blocks'>): readonly LogEntry[] {
  return blocks.flatMap(({ rows, bodies, headsAt }) => {
    const bodiesAt = bodiesIn(bodies, headsAt);
    return rowsOf(rows).map((row, place) => ({ row, bodies: bodiesAt(place) }));
  });
}
