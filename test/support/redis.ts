import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startServer, untilReady } from './guarded-server.ts';

/** Longer than Redis takes on the busiest machine: for what is not about its slowness. In milliseconds. */
export const patientMs = 10_000;

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Kills it, as a crash would. */
  stop(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Stops it and removes its folder. */
  close(): Promise<void>;
}

/** Why no Redis can be started here; undefined where one can. */
export const redisMissing: string | undefined = (process.env.PATH ?? '')
  .split(':')
  .some((folder) => existsSync(join(folder, 'redis-server')))
  ? undefined
  : 'redis-server is not installed';

/** A private server on a free port of loopback, without persistence. */
export async function startRedis(): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-redis-'));
  const port = await freePort();
  const settings: Readonly<Record<string, string>> = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'no',
    maxmemory: '64mb',
    'maxmemory-policy': 'noeviction',
  };
  const start = async () => {
    const server = await startServer(folder, [
      'redis-server',
      ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    ]);
    await untilReady(port, 'PING\r\n', 10_000);
    return server;
  };
  let server = await start();
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    stop: () => server.stop(),
    start: async () => {
      server = await start();
    },
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    close: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
      process.off('exit', removeFolder);
    },
  };
}
