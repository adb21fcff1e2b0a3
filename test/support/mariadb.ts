import { execFile, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, type Server, startServer, untilReady } from './guarded-server.ts';

export interface MariaDb {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** A new empty database, with the server's own (case-insensitive) collation as an operator's may have. */
  createDatabase(): Promise<string>;
  /** Runs statements as root, `;` between them. */
  execute(sql: string): Promise<void>;
  /** Kills it, as a crash would. */
  stop(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

export interface MariaDbOptions {
  /** More options of the server: `--ssl-cert=…`. */
  readonly options?: readonly string[];
}

const run = promisify(execFile);
const credentials = { user: 'gateway', password: 'of a test' };

const settings = `[mariadbd]
innodb_log_file_size=4M
innodb_data_file_path=ibdata1:4M:autoextend
innodb_autoextend_increment=1
innodb_buffer_pool_size=32M
innodb_flush_log_at_trx_commit=0
innodb_doublewrite=0
key_buffer_size=1M
aria_pagecache_buffer_size=4M
performance_schema=0
skip-log-bin
skip-name-resolve
bind-address=127.0.0.1
max_connections=200
`;

/** Debian keeps servers where only the administrator's PATH looks. */
function isInstalled(program: string): boolean {
  return ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/usr/local/sbin', ...(process.env.PATH ?? '').split(':')].some(
    (folder) => existsSync(join(folder, program)),
  );
}

/** Why no MariaDB can be started here; undefined where one can. */
export const mariaDbMissing: string | undefined = isInstalled('mariadbd') ? undefined : 'mariadbd is not installed';

/** A private server on a free port of loopback, up in about half a second; the very first on a machine takes three. */
export async function startMariaDb({ options = [] }: MariaDbOptions = {}): Promise<MariaDb> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-mariadb-'));
  await cp(await template(), folder, { recursive: true });
  const port = await freePort();
  const socket = join(folder, 's');
  const start = async (): Promise<Server> => {
    const server = await startServer(folder, [
      'mariadbd',
      `--defaults-file=${join(folder, 'my.cnf')}`,
      ...owner(),
      `--datadir=${join(folder, 'data')}`,
      // Of its own: a server that starts removes the tables that another has there for a moment.
      `--tmpdir=${join(folder, 'data')}`,
      `--socket=${socket}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--port=${port}`,
      ...options,
    ]);
    await untilReady(port, '', 20_000);
    return server;
  };
  const execute = async (sql: string): Promise<void> => {
    await run('mariadb', ['--no-defaults', '-uroot', `--socket=${socket}`, '-e', sql]);
  };
  let server = await start();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { user, password } = credentials;
  await execute(`CREATE USER '${user}'@'%' IDENTIFIED BY '${password}'; GRANT ALL ON *.* TO '${user}'@'%'`);
  let databases = 0;
  return {
    port,
    ...credentials,
    execute,
    createDatabase: async () => {
      const name = `gateway_${++databases}`;
      await execute(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`);
      return name;
    },
    stop: () => server.stop(),
    start: async () => {
      server = await start();
    },
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    close: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Made once a machine. Processes that start at once each make one, and the first to finish gives theirs to all. */
async function template(): Promise<string> {
  const { stdout } = spawnSync('mariadbd', ['--version'], { encoding: 'utf8', env: { PATH: searchPath() } });
  const version = /\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0] ?? 'unknown';
  const ready = join(tmpdir(), `portcullis-mariadb-template-${userInfo().uid}-${version}-1`);
  if (existsSync(ready)) return ready;
  const draft = await mkdtemp(`${ready}-`);
  await writeFile(join(draft, 'my.cnf'), settings);
  await mkdir(join(draft, 'data'));
  const install = ['--auth-root-authentication-method=normal', '--skip-test-db', ...owner()];
  const place = [`--defaults-file=${join(draft, 'my.cnf')}`, `--datadir=${join(draft, 'data')}`];
  await run('mariadb-install-db', [...place, ...install], { env: { PATH: searchPath() } });
  try {
    await rename(draft, ready);
  } catch {
    await rm(draft, { recursive: true, force: true });
  }
  return ready;
}

/** Who runs as root has to say that the server may. */
function owner(): readonly string[] {
  return userInfo().uid === 0 ? ['--user=root'] : [];
}

function searchPath(): string {
  return `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin`;
}
