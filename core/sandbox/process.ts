import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { type Fault, type FromChild, parentGraceMs, type ToChild } from './messages.ts';

/** How a run ended: with a result, with a fault, or with the process that another run took down. */
export type Ended =
  | { readonly result: string }
  | { readonly fault: Fault | 'killed' | 'lost'; readonly message?: string };

export interface Job {
  readonly key: string;
  readonly source: string;
  readonly memoryMb: number;
  readonly payload: string;
  readonly timeoutMs: number;
  /** Ends the run before its time. */
  readonly signal?: AbortSignal;
  /** Never rejects. */
  call(name: string, args: string): Promise<string>;
  log(level: string, text: string): void;
}

interface Running {
  readonly job: Job;
  readonly end: (ended: Ended) => void;
  timer: NodeJS.Timeout;
  overdue: boolean;
}

interface Loaded {
  readonly memoryMb: number;
  runs: number;
}

const longestStartMs = 10_000;
/** Of the grace, the part that waits for what may stand in the pipe already. */
const lastLookMs = 25;
/** Memory of all programs that stay loaded though none of their runs is under way. */
const maxLoadedMb = 512;
const maxLoaded = 64;

const here = import.meta.dirname;
const program = join(here, 'child.ts');

export interface ProcessEvents {
  /** It should take no more runs, and is to be retired. */
  onWorn(why: string): void;
  /** It is being killed, for a run that it does not end. */
  onOverdue(): void;
  onGone(): void;
}

/** One process of the sandbox, as the gateway sees it. It ends when the gateway's does. */
export class SandboxProcess {
  readonly #ready: Promise<boolean>;
  readonly #child: ChildProcess;
  readonly #running = new Map<number, Running>();
  readonly #loaded = new Map<string, Loaded>();
  readonly #events: ProcessEvents;
  #nextId = 1;
  #waiting = 0;
  #retired = false;
  #killed = false;
  #gone = false;
  #up = false;

  constructor(events: ProcessEvents) {
    this.#events = events;
    this.#child = fork(program, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { LIBC: existsSync('/etc/alpine-release') ? 'musl' : 'glibc' },
      execArgv: [...flags()],
    });
    this.#child.unref();
    this.#child.channel?.unref();
    const starting = setTimeout(() => this.#child.kill('SIGKILL'), longestStartMs).unref();
    this.#ready = new Promise((resolve) => {
      this.#child.on('message', (message: FromChild) => {
        if (message.type !== 'ready') return this.#receive(message);
        this.#up = true;
        clearTimeout(starting);
        resolve(true);
      });
      // There was no process, or it could not be told or killed.
      this.#child.on('error', () => {
        if (this.#child.pid !== undefined) return;
        this.#end();
        resolve(false);
      });
      this.#child.on('exit', () => this.#end());
      this.#child.on('exit', () => clearTimeout(starting));
      this.#child.on('exit', () => resolve(false));
    });
  }

  /** Whether it has come up; false: it ended before. */
  async ready(): Promise<boolean> {
    this.#hold();
    const up = await this.#ready;
    this.#letGo();
    return up;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get runs(): number {
    return this.#running.size;
  }

  /** Whether it has been ready; it may be gone since. */
  get up(): boolean {
    return this.#up;
  }

  get gone(): boolean {
    return this.#gone;
  }

  get retired(): boolean {
    return this.#retired;
  }

  /** Whether it ended because it was told to. */
  get killed(): boolean {
    return this.#killed;
  }

  run(job: Job): Promise<Ended> {
    if (this.#gone) return Promise.resolve({ fault: 'lost' });
    const id = this.#nextId;
    this.#nextId += 1;
    this.#load(job).runs += 1;
    return new Promise((resolve) => {
      const end = (ended: Ended) => {
        if (!this.#running.delete(id)) return;
        clearTimeout(running.timer);
        job.signal?.removeEventListener('abort', stop);
        const loaded = this.#loaded.get(job.key);
        if (loaded !== undefined) loaded.runs -= 1;
        this.#letGo();
        if (this.#retired && this.#running.size === 0) this.kill();
        resolve(ended);
      };
      const waitMs = job.timeoutMs + parentGraceMs - lastLookMs;
      const running: Running = { job, end, overdue: false, timer: setTimeout(() => this.#lastLook(running), waitMs) };
      const stop = () => {
        this.#send({ type: 'stop', id });
        clearTimeout(running.timer);
        running.timer = setTimeout(() => this.#lastLook(running), parentGraceMs - lastLookMs);
      };
      job.signal?.addEventListener('abort', stop, { once: true });
      this.#hold();
      this.#running.set(id, running);
      this.#send({ type: 'run', id, key: job.key, payload: job.payload, timeoutMs: job.timeoutMs });
    });
  }

  /** Takes no more runs; ends with the last of those under way. */
  retire(): void {
    this.#retired = true;
    if (this.#running.size === 0) this.kill();
  }

  kill(): void {
    this.#killed = true;
    this.#child.kill('SIGKILL');
  }

  /** Kills it, and resolves when it is gone. */
  async close(): Promise<void> {
    if (this.#gone) return;
    const gone = new Promise<void>((resolve) => {
      this.#child.once('exit', () => resolve());
    });
    this.#child.ref();
    this.kill();
    await gone;
  }

  #send(message: ToChild): void {
    // A process that is gone says so by its exit.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #load({ key, source, memoryMb }: Job): Loaded {
    const known = this.#loaded.get(key);
    if (known !== undefined) {
      this.#loaded.delete(key);
      this.#loaded.set(key, known);
      return known;
    }
    this.#makeRoom(memoryMb);
    const loaded = { memoryMb, runs: 0 };
    this.#loaded.set(key, loaded);
    this.#send({ type: 'load', key, source, memoryMb });
    return loaded;
  }

  /** Unloads what has been unused for longest. */
  #makeRoom(memoryMb: number): void {
    let total = [...this.#loaded.values()].reduce((sum, loaded) => sum + loaded.memoryMb, memoryMb);
    for (const [key, loaded] of this.#loaded) {
      if (total <= maxLoadedMb && this.#loaded.size < maxLoaded) return;
      if (loaded.runs > 0) continue;
      this.#loaded.delete(key);
      this.#send({ type: 'unload', key });
      total -= loaded.memoryMb;
    }
  }

  #receive(message: FromChild): void {
    if (message.type === 'worn') this.#events.onWorn(message.why);
    if (message.type === 'worn' || message.type === 'ready') return;
    const running = this.#running.get(message.id);
    if (running === undefined) return;
    switch (message.type) {
      case 'done':
        running.end({ result: message.result });
        return;
      case 'failed':
        running.end(message);
        return;
      case 'log':
        running.job.log(message.level, message.text);
        return;
      case 'call': {
        const { id, call, name, args } = message;
        void running.job.call(name, args).then((answer) => {
          if (this.#running.has(id)) this.#send({ type: 'answer', id, call, answer });
        });
        return;
      }
    }
  }

  /** When the gateway itself was late, the result may have come before this timer: it gets a moment to be read. */
  #lastLook(running: Running): void {
    running.timer = setTimeout(() => {
      running.overdue = true;
      this.#events.onOverdue();
      this.kill();
    }, lastLookMs);
  }

  /** Somebody waits for it: until then, Node may not end. */
  #hold(): void {
    if (this.#waiting === 0) this.#child.channel?.ref();
    this.#waiting += 1;
  }

  #letGo(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#child.channel?.unref();
  }

  #end(): void {
    if (this.#gone) return;
    this.#gone = true;
    for (const { overdue, end } of [...this.#running.values()]) end({ fault: overdue ? 'killed' : 'lost' });
    this.#events.onGone();
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Nothing of the file system but the sandbox's own files; an environment of nothing; little memory beside the isolates'. */
function flags(): readonly string[] {
  const require = createRequire(import.meta.url);
  const native = require.resolve('isolated-vm/package.json');
  const loader = createRequire(native).resolve('node-gyp-build/package.json');
  // Where all packages stand behind a link, Node looks at the link itself; that may be granted as a whole folder only.
  const links = (require.resolve.paths('isolated-vm') ?? []).filter(isLink);
  const folders = [here, dirname(native), dirname(loader)].flatMap((folder) => [folder, realpathSync(folder)]);
  const files = [join(here, '..', '..', 'package.json')];
  return [
    '--no-node-snapshot',
    '--permission',
    '--allow-addons',
    '--max-old-space-size=128',
    ...[...new Set([...folders, ...links])].map((folder) => `--allow-fs-read=${folder}${sep}`),
    ...files.map((file) => `--allow-fs-read=${file}`),
  ];
}
