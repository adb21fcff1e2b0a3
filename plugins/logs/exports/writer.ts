import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlHost } from 'portcullis/sdk';
import { type Lease, leaseOf } from './lease.ts';
import { isWhole, piecesOf } from './pieces.ts';
import { type ExportRecord, table } from './table.ts';

const keptMs = 7 * 86_400_000;

/** What is sent of an export. */
export interface ExportBytes {
  /** Absent: nobody knows before they are read. */
  readonly size?: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface ExportFiles {
  /** Writes the file of an export that has been started, unless another process is at it. Never throws. */
  run(organisationId: string, id: string): Promise<void>;
  /**
   * The bytes of a finished export. Its file may stand with another process: the requests are read once more then.
   * Undefined: it is older than a week, or they are no longer all there.
   */
  read(record: ExportRecord): Promise<ExportBytes | undefined>;
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
    read: async (record) => {
      const path = join(folder, `${record.id}.jsonl`);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined) return { size: found.size, bytes: createReadStream(path) };
      const isOld = host.now() - record.last_updated_at > keptMs;
      return isOld || !(await isWhole(host, record)) ? undefined : { bytes: bytesOf(host, record) };
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
    for await (const { text, lines } of piecesOf(host, record)) {
      await file.write(text);
      written += lines;
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

async function* bytesOf(host: ControlHost, record: ExportRecord): AsyncGenerator<Uint8Array> {
  for await (const { text } of piecesOf(host, record)) yield Buffer.from(text);
}

async function removeOld(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > keptMs) await rm(path, { force: true });
  }
}
