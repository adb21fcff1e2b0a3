import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { openStore, type Store, type StoreOptions } from '../../core/store/store.ts';
import { type MariaDb, mariaDbMissing, startMariaDb } from './mariadb.ts';
import { recordingLog } from './recording-log.ts';

/** Opens a store on a fresh database, or on the one given; it is closed after the tests of the block. */
export type Open = (options?: StoreOptions) => Promise<Store>;

/** Names a fresh database without opening it, for tests with several stores or processes on one. */
export type Fresh = () => Promise<StoreOptions>;

type Work = (name: string, open: Open, fresh: Fresh) => void;

export interface StoreTests {
  /** Whether the block also runs on SQLite in a file; then `fresh` never names a database in memory but in its own block. */
  readonly file?: boolean;
  /** Whether it runs on SQLite in memory. Default: yes. */
  readonly memory?: boolean;
}

/** Runs a block of tests on each kind of store: `onEachStore((name, open) => { it('…', async () => { const store = await open(); … }); })`. */
export function onEachStore(work: Work, { file = false, memory = true }: StoreTests = {}): void {
  if (memory) block('SQLite in memory', undefined, async () => ({ kind: 'sqlite', file: ':memory:' }), work);
  if (file) block('SQLite in a file', undefined, async () => ({ kind: 'sqlite', file: freshFile() }), work);
  block('MariaDB', mariaDbMissing, freshOnMariaDb, work);
}

function block(name: string, missing: string | undefined, fresh: Fresh, work: Work): void {
  describe(`on ${name}`, { skip: missing ?? false }, () => {
    const opened: Store[] = [];
    after(() => Promise.all(opened.map((store) => store.close())));
    const open: Open = async (options) => {
      const store = await openStore(options ?? (await fresh()), recordingLog().log);
      opened.push(store);
      return store;
    };
    work(name, open, fresh);
  });
}

let folder: string | undefined;
let files = 0;

function freshFile(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'portcullis-store-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return join(folder, `${++files}.db`);
}

let running: Promise<MariaDb> | undefined;

/** The private server of this test process, started when it is first asked for. */
export function mariaDb(): Promise<MariaDb> {
  running ??= startMariaDb();
  return running;
}

/** Options for a new database on the given server, or on that of this test process. */
export async function freshOnMariaDb(given?: MariaDb): Promise<StoreOptions & { readonly kind: 'mysql' }> {
  const server = given ?? (await mariaDb());
  const { port, user, password } = server;
  const writer = { host: '127.0.0.1', port, user, password };
  return { kind: 'mysql', database: await server.createDatabase(), writer, poolSize: 8, queryTimeoutMs: 4000 };
}
