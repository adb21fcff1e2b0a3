import type { FeedbackRow, LogBodies, LogEntry, LogRow } from 'portcullis/sdk';
import { rowOfLine } from './row-line.ts';

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

export const lineEnd = '\n';
/** A mark of the byte order is part of a text as well. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

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
export function entriesOf({ blocks }: PackedBatch): readonly LogEntry[] {
  return blocks.flatMap(({ rows, bodies, headsAt }) => {
    const bodiesAt = bodiesIn(bodies, headsAt);
    return rowsOf(rows).map((row, place) => ({ row, bodies: bodiesAt(place) }));
  });
}
