import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlHost, LogEntry, Operation } from 'portcullis/sdk';
import { lineOf, texts } from './columns.ts';
import { type Lease, leaseOf } from './lease.ts';
import { queryOfRecord } from './read-body.ts';
import { type ExportRecord, table } from './table.ts';

const keptMs = 7 * 86_400_000;
/** Rows at a time: those with texts can be large. */
const page = { rows: 1000, texts: 100 };

export interface ExportFiles {
  /** Writes the file of an export that has been started, unless another process is at it. Never throws. */
  run(organisationId: string, id: string): Promise<void>;
  /** The bytes of a finished export, and how many they are; undefined: the file is gone. */
  read(id: string): Promise<{ readonly size: number; readonly bytes: AsyncIterable<Uint8Array> } | undefined>;
  /** Takes up what a process has left unfinished, and removes files that are older than a week. */
  tidy(): Promise<void>;
  /** Stops what runs; another process, or the next start, takes it up. */
  close(): Promise<void>;
}

/** Writes exports as lines of JSON, page by page, into the folder. */
export function exportFiles(host: ControlHost, folder: string): ExportFiles {
  const running = new Set<Promise<void>>();
  let closed = false;

  const run = async (organisationId: string, id: string): Promise<void> => {
    const lease = await leaseOf(host, organisationId, id);
    if (lease === undefined) return;
    try {
      const written = await write(host, folder, lease, () => closed);
      if (written !== undefined) await lease.end({ status: 'success', total_records: written });
    } catch (error) {
      host.log.error('log_export_failed', { id, error: error instanceof Error ? error.message : 'not an error' });
      await lease.end({ status: 'failed', failure: 'The export could not be written.' });
    }
  };
  const tracked = (organisationId: string, id: string): Promise<void> => {
    if (closed) return Promise.resolve();
    const work = run(organisationId, id).catch((error: unknown) => {
      host.log.error('log_export_lost', { id, error: error instanceof Error ? error.message : 'not an error' });
    });
    running.add(work);
    void work.finally(() => running.delete(work));
    return work;
  };
  return {
    run: tracked,
    read: async (id) => {
      const path = join(folder, `${id}.jsonl`);
      const found = await stat(path).catch(() => undefined);
      return found === undefined ? undefined : { size: found.size, bytes: createReadStream(path) };
    },
    tidy: async () => {
      for (const { organisation_id, id } of await unfinished(host)) await tracked(organisation_id, id);
      await removeOld(folder, host.now());
    },
    close: async () => {
      closed = true;
      await Promise.all(running);
    },
  };
}

function unfinished(host: ControlHost): Promise<readonly { readonly id: string; readonly organisation_id: string }[]> {
  // The table holds all organisations; the job belongs to none.
  return host.transaction({ organisationId: '' }, async ({ db, now }) =>
    db(table)
      .where('status', 'in_progress')
      .andWhere('lease_until', '<', now)
      .limit(100)
      .select('id', 'organisation_id'),
  );
}

/** How many lines were written; undefined: it was cancelled, another process is at it, or this one closes. */
async function write(
  host: ControlHost,
  folder: string,
  lease: Lease,
  closed: () => boolean,
): Promise<number | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { record } = lease;
  // Of this process alone: one that was too slow may still be writing.
  const part = join(folder, `${record.id}.${host.newId()}.part`);
  const file = await open(part, 'w', 0o600);
  let written = 0;
  let whole = false;
  try {
    const time = await timeOf(host, record);
    for await (const entries of pagesOf(host, record)) {
      await file.write(entries.map((entry) => lineOf(entry, record.requested_data, time)).join(''));
      written += entries.length;
      if (closed() || !(await lease.renew())) return undefined;
    }
    await file.sync();
    whole = await lease.renew();
  } finally {
    await file.close();
    if (!whole) await rm(part, { force: true });
  }
  if (!whole) return undefined;
  await rename(part, join(folder, `${record.id}.jsonl`));
  return written;
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

async function removeOld(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > keptMs) await rm(path, { force: true });
  }
}
