import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Offer } from './offer.ts';

export const repository = join(import.meta.dirname, '..', '..');

/** Which core a process is kept on; undefined leaves the choice to the system. */
export type Core = number | undefined;

export interface ChildOptions {
  readonly core: Core;
  readonly cwd?: string;
  readonly ipc?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Child {
  readonly pid: number;
  /** Rejects with the end of the child's complaints when it ends before `ready` resolves. */
  during<T>(ready: Promise<T>): Promise<T>;
  /** Sends one message, and waits for nothing. */
  tell(message: string): void;
  /** Sends one message and gives the next one that comes. */
  ask(message: string): Promise<unknown>;
  next(): Promise<unknown>;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
const startLimitMs = 30_000;
const stopLimitMs = 3000;
const complaintChars = 2000;

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program whose output goes nowhere; it never outlives this process's orderly end. */
export function startChild(command: string, args: readonly string[], options: ChildOptions): Child {
  const { core, cwd = repository, ipc = false, env = {} } = options;
  const [program, ...rest] =
    core === undefined ? [command, ...args] : ['taskset', '-c', String(core), command, ...args];
  const child = spawn(program, rest, {
    cwd,
    env: { ...process.env, NODE_ENV: 'production', NODE_TEST_CONTEXT: undefined, ...env },
    stdio: ['ignore', 'ignore', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  });
  running.add(child);
  let complaints = '';
  child.stderr?.on('data', (text: Buffer) => {
    complaints = (complaints + text.toString()).slice(-complaintChars);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`ended with ${signal ?? code}`));
  }).finally(() => running.delete(child));

  const during = async <T>(ready: Promise<T>): Promise<T> => {
    const limit = new AbortController();
    const early = ended.then((reason) => Promise.reject(new Error(`${command} ${reason}: ${complaints}`)));
    const late = delay(startLimitMs, undefined, { signal: limit.signal }).then(() => {
      throw new Error(`${command} did not answer within ${startLimitMs} ms: ${complaints}`);
    });
    early.catch(() => {});
    late.catch(() => {});
    try {
      return await Promise.race([ready, early, late]);
    } finally {
      limit.abort();
    }
  };
  const next = async () => (await once(child, 'message'))[0] as unknown;

  return {
    get pid() {
      if (child.pid === undefined) throw new Error(`${command} could not be started.`);
      return child.pid;
    },
    during,
    next,
    tell: (message) => void child.send(message),
    ask(message) {
      const reply = next();
      child.send(message);
      return during(reply);
    },
    async stop() {
      if (!running.has(child)) return;
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
      await ended;
      clearTimeout(force);
    },
  };
}

/** Runs a program to its end and gives what it printed. */
export function runToEnd(command: string, args: readonly string[], limitMs: number, cwd = repository): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { cwd, timeout: limitMs, killSignal: 'SIGKILL' }, (error, output) => {
      running.delete(child);
      if (error === null) resolve(output);
      else reject(error);
    });
    running.add(child);
  });
}

/** Starts one of this folder's own servers and waits for its port. */
export async function startServer(
  file: string,
  core: Core,
): Promise<{ readonly child: Child; readonly origin: string }> {
  const child = startChild(process.execPath, [join(import.meta.dirname, file)], { core, ipc: true });
  const offer = (await child.during(child.next())) as Offer;
  return { child, origin: `http://127.0.0.1:${offer.port}` };
}

/** A port of loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits until a child listens on a port of loopback; stops it when it does not come up. */
export async function untilListening(child: Child, port: number): Promise<void> {
  const given = new AbortController();
  try {
    await child.during(knock(port, given.signal));
  } catch (error) {
    await child.stop();
    throw error;
  } finally {
    given.abort();
  }
}

async function knock(port: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const socket = createConnection({ host: '127.0.0.1', port });
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await delay(50);
    } finally {
      socket.destroy();
    }
  }
}
