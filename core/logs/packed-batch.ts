import type { FeedbackRow, LogBodies, LogEntry, LogRow } from 'portcullis/sdk';
import { isFirstForm, rowOfFirstForm } from './first-form.ts';
import { type IndexedRow, indexedRow, wholeRow } from './row-line.ts';
import type { Shared } from './same-fields.ts';

/** Some requests that are kept together: of one hour, and at most about a MiB. */
export interface PackedBlock {
  /** When the last of them began. */
  readonly lastAt: number;
  /** Of each request, whether it has bodies. */
  readonly bodied: readonly boolean[];
  /** A line of JSON for each that it is looked up by, and then another for each, that is only shown. */
  readonly rows: Uint8Array;
  /** Where the second ones begin. */
  readonly detailsAt: number;
  /** The bodies one behind the other, and then a head for each request, a line of JSON; empty where none has any. */
  readonly bodies: Uint8Array;
  /** Where the heads begin. */
  readonly headsAt: number;
}

/** A batch as it goes to a thread: the bytes of its blocks are in memory that both threads see. */
export interface PackedBatch {
  readonly blocks: readonly PackedBlock[];
  readonly feedback: readonly FeedbackRow[];
}

/** Where the bodies of a request stand, and what is not bytes of them. */
export type Head = readonly [
  at: number,
  request: number,
  response: number,
  requestHeaders: Readonly<Record<string, string>>,
  responseHeaders: Readonly<Record<string, string>>,
  truncated: boolean,
];

const lineEnd = '\n';
/** A mark of the byte order is part of a text as well. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The requests of a block, in their order, without what is only shown. */
export function indexedRowsOf({ rows, detailsAt }: PackedBlock): readonly IndexedRow[] {
  const lines = linesOf(rows.subarray(0, detailsAt));
  const read: IndexedRow[] = [];
  // What is shared stands before those who refer to it.
  for (const line of lines) read.push(indexedRow(line, (place) => (read[place] as IndexedRow).shared));
  return read;
}

/** What a block has of some of its requests, each by its place. */
export function rowLines(rows: Uint8Array): (place: number) => LogRow {
  const lines = linesOf(rows);
  if (isFirstForm(lines[0] ?? '')) return (place) => rowOfFirstForm(lines[place] ?? '');
  const count = lines.length / 2;
  const indexedAt = (place: number): IndexedRow => indexedRow(lines[place] ?? '', sharedAt);
  const sharedAt = (place: number): Shared => indexedAt(place).shared;
  return (place) => wholeRow(indexedAt(place), lines[count + place] ?? '');
}

function linesOf(rows: Uint8Array): string[] {
  const lines = utf8.decode(rows).split(lineEnd);
  lines.pop();
  return lines;
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
export function entriesOf({ blocks }: PackedBatch): readonly LogEntry[] {
  return blocks.flatMap(({ rows, bodies, headsAt, bodied }) => {
    const rowAt = rowLines(rows);
    const bodiesAt = bodiesIn(bodies, headsAt);
    return bodied.map((_, place) => ({ row: rowAt(place), bodies: bodiesAt(place) }));
  });
}
