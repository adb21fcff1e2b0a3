import type { ControlHost, LogEntry, Operation } from 'portcullis/sdk';
import { lineOf, texts } from './columns.ts';
import { countOf, queryOfRecord } from './read-body.ts';
import type { ExportRecord } from './table.ts';

/** Rows at a time: those with texts can be large. */
const page = { rows: 1000, texts: 100 };

/** Some lines of JSON, each with its end. */
export interface Piece {
  readonly text: string;
  readonly lines: number;
}

/** What an export is made of, a page of requests at a time. */
export async function* piecesOf(host: ControlHost, record: ExportRecord): AsyncGenerator<Piece> {
  const time = await timeOf(host, record);
  for await (const entries of pagesOf(host, record)) {
    const text = entries.map((entry) => lineOf(entry, record.requested_data, time)).join('');
    yield { text, lines: entries.length };
  }
}

/** Whether the requests that an export was made of are all there still. */
export async function isWhole(host: ControlHost, record: ExportRecord): Promise<boolean> {
  return (await countOf(host, queryOfRecord(record))) >= Number(record.total_records);
}

function timeOf(host: ControlHost, record: ExportRecord): Promise<Operation['time']> {
  return host.transaction({ organisationId: record.organisation_id }, async ({ time }) => time);
}

/**
 * The requests, newest first. Each page begins where the last has ended, so that the store need not count its way to it:
 * of the moment at which a page has ended, those that have been had are passed over.
 */
async function* pagesOf(host: ControlHost, record: ExportRecord): AsyncGenerator<readonly LogEntry[]> {
  const { filter, offset: first, limit } = queryOfRecord(record);
  const bodies = record.requested_data.some((name) => texts.includes(name));
  let { to } = filter;
  let offset = first;
  let left = limit;
  while (left > 0) {
    const size = Math.min(left, bodies ? page.texts : page.rows);
    const { entries } = await host.logs.list({ ...filter, to }, { limit: size, offset, bodies });
    const last = entries.at(-1)?.row.createdAt;
    if (last === undefined) return;
    yield entries;
    left -= entries.length;
    if (entries.length < size) return;
    const ofLast = entries.filter(({ row }) => row.createdAt === last).length;
    if (ofLast === entries.length) offset += ofLast;
    else [to, offset] = [last + 1, ofLast];
  }
}
