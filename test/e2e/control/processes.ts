import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject, type JsonObject, parseJson } from 'portcullis/sdk';
import type { StoreOptions } from '../../../core/store/store.ts';
import type { Reply } from '../../support/gateway.ts';
import type { Ask } from './furnish.ts';

export interface Request {
  readonly body?: JsonObject;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A gateway as an operator starts it: `node core/main.ts`. */
export interface Running {
  readonly url: string;
  /** What it has printed and logged so far. */
  readonly output: () => string;
  /** The admin key that it has printed; '' when it has printed none. */
  readonly adminKey: string;
  call(method: string, path: string, request?: Request): Promise<Reply>;
  /** One chat call with the key; `headers` say where it goes. */
  chat(key: string | undefined, headers?: Readonly<Record<string, string>>, model?: string): Promise<Reply>;
  /** Sends SIGTERM, and gives the exit code: null when it had to be killed. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

export interface ProcessOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

const main = join(import.meta.dirname, '..', '..', '..', 'core', 'main.ts');
const startLimitMs = 30_000;
const stopLimitMs = 10_000;
const children = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** An empty folder that is removed when the test ends. */
export function freshFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-process-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a process on a free port of loopback, and waits until it serves. It is killed when the test ends. */
export async function startProcess(
  t: Pick<TestContext, 'after'>,
  { folder, env = {} }: ProcessOptions,
): Promise<Running> {
  const child = spawn(process.execPath, [main], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', TRUSTED_CUSTOM_HOSTS: '127.0.0.1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const ended = once(child, 'exit').then(([code]) => {
    children.delete(child);
    return code as number | null;
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  t.after(kill);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (piece: string) => {
      text += piece;
    });
  }
  let over = false;
  ended.finally(() => {
    over = true;
  });
  const url = await until('it serves', startLimitMs, () => {
    assert.equal(over, false, `the process ended:\n${text}`);
    return /Portcullis serves (http:\/\/\S+)\/v1 on/.exec(text)?.[1];
  });
  const call: Running['call'] = async (method, path, { body, key, headers = {} } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'x-gw-api-key': key }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const reply = await response.text();
    const json = asObject(parseJson(reply)) ?? {};
    return { status: response.status, headers: response.headers, text: reply, json };
  };
  return {
    url,
    output: () => text,
    get adminKey() {
      return /Admin API key[^:]*: (\S+)/.exec(text)?.[1] ?? '';
    },
    call,
    chat: (key, headers = {}, model = 'gpt-4o') =>
      call('POST', '/v1/chat/completions', {
        body: { model, messages: [{ role: 'user', content: 'x' }] },
        ...(key === undefined ? {} : { key }),
        headers,
      }),
    stop: async () => {
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
      const code = await ended;
      clearTimeout(force);
      return code;
    },
    kill,
  };
}

/** The admin key that one of the processes has printed: it comes after the address. */
export function firstAdminKey(...processes: readonly Running[]): Promise<string> {
  return until('an admin key', 10_000, () => processes.map(({ adminKey }) => adminKey).find((key) => key !== ''));
}

/** Asks the control plane of a process. */
export function askOf({ call }: Pick<Running, 'call'>, key: string): Ask {
  return async (method, path, body) => {
    const reply = await call(method, path, { key, ...(body === undefined ? {} : { body }) });
    assert.ok(reply.status >= 200 && reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  };
}

/** Polls until `probe` gives something else than undefined or false, and fails when the time is over. */
export async function until<T>(
  what: string,
  limitMs: number,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new assert.AssertionError({ message: `${what}: not within ${limitMs} ms` });
    await sleep(25);
  }
}

/** The variables that name a database on a server of a test. */
export function databaseEnv({ database, writer }: StoreOptions & { readonly kind: 'mysql' }): Record<string, string> {
  const { host, port, user, password } = writer;
  return {
    DB_HOST: host,
    DB_PORT: String(port),
    DB_NAME: database,
    DB_USER: user ?? '',
    DB_PASS: password ?? '',
  };
}
