import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createServer, connect as openSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server of a test. It is killed, and its folder removed, when this process ends, however it ends. */
export interface Server {
  readonly pid: number;
  /** Kills it and waits until it is gone; its folder stays, to be started on again. */
  stop(): Promise<void>;
  /** Stops it in its tracks: connections stay open and nobody answers. */
  freeze(): void;
  thaw(): void;
}

// Its input is a pipe from the test: when that closes, whoever held it is gone.
const guard = `
folder=$1; shift
"$@" </dev/null >"$folder/log" 2>&1 &
pid=$!
echo $pid
read -r word
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
[ "$word" = keep ] || rm -rf "$folder"
`;

/** @param folder is the server's own: its log goes there as well */
export async function startServer(folder: string, command: readonly string[]): Promise<Server> {
  const child = spawn('sh', ['-c', guard, 'guard', folder, ...command], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // Ctrl-C is for the test alone: the guard has to outlive it.
    detached: true,
  });
  const gone = once(child, 'exit');
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.stdout.once('data', (line: Buffer) => resolve(Number(line.toString().trim())));
  });
  for (const handle of [child, child.stdin as Socket, child.stdout as Socket]) handle.unref();
  return {
    pid,
    stop: async () => {
      child.ref();
      child.stdin.end('keep\n');
      await gone;
    },
    freeze: () => {
      process.kill(pid, 'SIGSTOP');
      // The signal reaches its threads a little later: one of them could still answer.
      while (existsSync(`/proc/${pid}/task`) && !isStopped(pid)) pause();
    },
    thaw: () => void process.kill(pid, 'SIGCONT'),
  };
}

function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => {
    const file = `/proc/${pid}/task/${thread}/stat`;
    // A thread that has just ended answers nobody either.
    if (!existsSync(file)) return true;
    // `12 (name) T …`: a name may hold anything, parentheses too.
    const stat = readFileSync(file, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  });
}

const cell = new Int32Array(new SharedArrayBuffer(4));

function pause(): void {
  Atomics.wait(cell, 0, 0, 1);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** Waits until the port answers to `greeting`, or speaks first when there is none. */
export async function untilReady(port: number, greeting: string, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await answers(port, greeting))) {
    if (performance.now() > end) throw new Error(`Nothing answers on port ${port} after ${limitMs} ms.`);
    await sleep(15);
  }
}

function answers(port: number, greeting: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = openSocket({ host: '127.0.0.1', port });
    const done = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(500, () => done(false));
    socket.once('connect', () => greeting !== '' && socket.write(greeting));
    socket.once('data', () => done(true));
    socket.once('error', () => done(false));
    socket.once('close', () => done(false));
  });
}
