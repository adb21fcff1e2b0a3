import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { childFlags } from './child-flags.ts';
import { LoadedPrograms } from './loaded-programs.ts';
import {
  type Fault,
  type FromChild,
  maxMessage,
  maxQuickPayload,
  parentGraceMs,
  pipe,
  stuckMs,
  type ToChild,
} from './messages.ts';
import type { Paces } from './paces.ts';
import type { Death } from './strikes.ts';
import { readMessages, writeMessage } from './wire.ts';

/** How a run ended: with a result, with a fault, or with the process that another run took down. */
export type Ended =
  | { readonly result: string }
  | { readonly fault: Fault | 'killed' | 'lost'; readonly message?: string; readonly death?: Death };

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
  /** By `performance.now()`. */
  readonly sentAt: number;
  timer: NodeJS.Timeout;
  overdue: boolean;
}

const longestStartMs = 10_000;
/** Of the grace, the part that waits for what may stand in the pipe already. */
const lastLookMs = 25;
/** A quick run that is not over so long after it was sent holds up what came after it. */
const heldUpMs = 50;

const program = join(import.meta.dirname, 'child.ts');

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
  /** None where Node had no descriptors left. */
  readonly #pipe: Socket | undefined;
  readonly #running = new Map<number, Running>();
  readonly #loaded = new LoadedPrograms((message, text) => this.#send(message, text));
  readonly #paces: Paces;
  readonly #events: ProcessEvents;
  /** The run that has the child's own thread, or waits for it in the pipe: one at a time, so that it is known who holds it up. */
  #quick: Running | undefined;
  #nextId = 1;
  #waiting = 0;
  #retired = false;
  #killed = false;
  #gone = false;
  #up = false;

  constructor(paces: Paces, events: ProcessEvents) {
    this.#paces = paces;
    this.#events = events;
    this.#child = spawn(process.execPath, [...childFlags(), program], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: { LIBC: existsSync('/etc/alpine-release') ? 'musl' : 'glibc' },
    });
    this.#child.unref();
    this.#pipe = (this.#child.stdio as readonly unknown[] | undefined)?.[pipe] as Socket | undefined;
    this.#pipe?.unref();
    const starting = setTimeout(() => this.#child.kill('SIGKILL'), longestStartMs).unref();
    this.#ready = new Promise((resolve) => {
      const receive = (message: FromChild, text: string) => {
        if (message.type !== 'ready') return this.#receive(message, text);
        this.#up = true;
        clearTimeout(starting);
        resolve(true);
      };
      // Of one that says what is no message, a guest has taken over.
      if (this.#pipe !== undefined) readMessages(this.#pipe, maxMessage, receive, () => this.#child.kill('SIGKILL'));
      // Of its end tells the exit.
      this.#pipe?.on('error', () => {});
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
    this.#loaded.enter(job);
    return new Promise((resolve) => {
      const end = (ended: Ended) => {
        if (!this.#running.delete(id)) return;
        if (this.#quick === running) this.#quick = undefined;
        clearTimeout(running.timer);
        job.signal?.removeEventListener('abort', stop);
        this.#loaded.leave(job.key);
        this.#letGo();
        if (this.#retired && this.#running.size === 0) this.kill();
        resolve(ended);
      };
      const quick = this.#quick === undefined && job.payload.length <= maxQuickPayload && this.#paces.isQuick(job.key);
      const waitMs = job.timeoutMs + parentGraceMs - lastLookMs;
      const timer = setTimeout(() => this.#lastLook(running), quick ? Math.min(waitMs, stuckMs) : waitMs);
      const running: Running = { job, end, sentAt: performance.now(), timer, overdue: false };
      const stop = () => {
        this.#send({ type: 'stop', id });
        clearTimeout(running.timer);
        running.timer = setTimeout(() => this.#lastLook(running), parentGraceMs - lastLookMs);
      };
      job.signal?.addEventListener('abort', stop, { once: true });
      this.#hold();
      this.#running.set(id, running);
      if (quick) this.#quick = running;
      this.#send({ type: 'run', id, key: job.key, timeoutMs: job.timeoutMs, quick }, job.payload);
      // It may have been given up while the process came up.
      if (job.signal?.aborted === true) stop();
    });
  }

  /** Takes no more runs; ends with the last of those under way. */
  retire(): void {
    this.#retired = true;
    if (this.#running.size === 0) this.kill();
    else this.#loaded.close();
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

  #send(message: ToChild, text = ''): void {
    // A process that is gone says so by its exit.
    if (this.#pipe?.writable === true) writeMessage(this.#pipe, message, text);
  }

  #receive(message: FromChild, text: string): void {
    if (message.type === 'worn') this.#events.onWorn(message.why);
    if (message.type === 'worn' || message.type === 'ready') return;
    const running = this.#running.get(message.id);
    if (running === undefined) return;
    switch (message.type) {
      case 'done':
        this.#paces.ended(running.job.key, message.quick);
        running.end({ result: text });
        return;
      case 'waits':
        if (message.cut) this.#paces.failed(running.job.key, 'cut');
        this.#released(running);
        return;
      case 'failed':
        running.end(message);
        return;
      case 'log':
        running.job.log(message.level, text);
        return;
      case 'call': {
        const { id, call, name } = message;
        void running.job.call(name, text).then((answer) => {
          if (this.#running.has(id)) this.#send({ type: 'answer', id, call }, answer);
        });
        return;
      }
    }
  }

  /** It goes on as others do. */
  #released(running: Running): void {
    if (this.#quick !== running) return;
    this.#quick = undefined;
    if (running.job.signal?.aborted === true) return;
    clearTimeout(running.timer);
    const endsAt = running.sentAt + running.job.timeoutMs + parentGraceMs - lastLookMs;
    running.timer = setTimeout(() => this.#lastLook(running), Math.max(0, endsAt - performance.now()));
  }

  /** When the gateway itself was late, the result may have come before this timer: it gets a moment to be read. */
  #lastLook(running: Running): void {
    running.timer = setTimeout(() => {
      this.#blame(running);
      this.#events.onOverdue();
      this.kill();
    }, lastLookMs);
  }

  /** Who holds up the process has escaped its cut-off: others are not to blame, and it begins anew if its time is not over. */
  #blame(late: Running): void {
    const quick = this.#quick;
    const ageMs = quick === undefined ? 0 : performance.now() - quick.sentAt;
    if (quick === undefined || ageMs < heldUpMs) {
      late.overdue = true;
      return;
    }
    this.#paces.failed(quick.job.key, 'stuck');
    quick.overdue = ageMs >= quick.job.timeoutMs || quick.job.signal?.aborted === true;
  }

  /** Somebody waits for it: until then, Node may not end. */
  #hold(): void {
    if (this.#waiting === 0) this.#pipe?.ref();
    this.#waiting += 1;
  }

  #letGo(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#pipe?.unref();
  }

  #end(): void {
    if (this.#gone) return;
    this.#gone = true;
    const running = [...this.#running.values()];
    // Who was killed for a run is known by that run.
    const death = this.#killed ? undefined : new Set(running.map(({ job }) => job.key));
    const lost: Ended = death === undefined ? { fault: 'lost' } : { fault: 'lost', death };
    for (const { overdue, end } of running) end(overdue ? { fault: 'killed' } : lost);
    this.#events.onGone();
  }
}
