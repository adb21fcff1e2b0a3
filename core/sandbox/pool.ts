import type { Log } from 'portcullis/sdk';
import { Paces } from './paces.ts';
import { SandboxProcess } from './process.ts';

const firstBackoffMs = 100;
const longestBackoffMs = 10_000;
/** A process that served so long was started well: its end says nothing about the next one. */
const provenMs = 30_000;

/** One process that serves and one that is ready to: nothing is started before the first program comes. */
export class ProcessPool {
  readonly #log: Log;
  readonly #now: () => number;
  /** Each with the time of its start. */
  readonly #all = new Map<SandboxProcess, number>();
  /** What programs have proved outlasts the process in which they did. */
  readonly #paces = new Paces();
  #serving: SandboxProcess | undefined;
  #spare: SandboxProcess | undefined;
  #failures = 0;
  #backoff: NodeJS.Timeout | undefined;
  closed = false;
  /** Processes that ended otherwise than by `close`. */
  lost = 0;

  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  get processes(): readonly SandboxProcess[] {
    return [...this.#all.keys()];
  }

  /** The process that serves, up and ready; undefined: none can be started. */
  async serving(): Promise<SandboxProcess | undefined> {
    while (!this.closed) {
      if (this.#serving === undefined && this.#backoff !== undefined) return undefined;
      const process = this.#serving ?? this.#start();
      this.#serving = process;
      const up = await process.ready();
      if (up && !process.gone) {
        this.#keepSpare();
        if (process === this.#serving) return process;
      } else if (!up) return undefined;
    }
    return undefined;
  }

  /** As `serving`, but only what is ready at once. */
  get atHand(): SandboxProcess | undefined {
    const serving = this.#serving;
    return serving?.up === true && !serving.gone && this.#spare !== undefined ? serving : undefined;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.#backoff);
    this.#serving = undefined;
    this.#spare = undefined;
    await Promise.all(this.processes.map((process) => process.close()));
  }

  #start(): SandboxProcess {
    const process = new SandboxProcess(this.#paces, {
      onWorn: (why) => this.#replace(process, why),
      onOverdue: () => this.#passOver(process),
      onGone: () => this.#gone(process),
    });
    this.#all.set(process, this.#now());
    return process;
  }

  #keepSpare(): void {
    if (this.closed || this.#spare !== undefined || this.#backoff !== undefined) return;
    this.#spare = this.#start();
  }

  /** What is under way ends where it is; what comes goes to the spare. */
  #replace(process: SandboxProcess, why: string): void {
    if (process !== this.#serving) return;
    this.#log.info('sandbox_process_replaced', { why });
    this.#promoteSpare();
    process.retire();
  }

  /** As above, but it will not come to an end by itself. */
  #passOver(process: SandboxProcess): void {
    if (process === this.#serving) this.#promoteSpare();
  }

  #promoteSpare(): void {
    this.#serving = this.#spare;
    this.#spare = undefined;
    if (this.#serving !== undefined) this.#keepSpare();
  }

  #gone(process: SandboxProcess): void {
    const startedAt = this.#all.get(process) ?? 0;
    this.#all.delete(process);
    if (this.closed || process.retired) return;
    this.lost += 1;
    this.#log.warn('sandbox_process_lost', { why: process.killed ? 'a run did not end' : 'it ended by itself' });
    if (!process.killed) {
      this.#failures = process.up && this.#now() - startedAt > provenMs ? 1 : this.#failures + 1;
      this.#backOff();
    }
    if (process === this.#spare) this.#spare = undefined;
    if (process === this.#serving) this.#promoteSpare();
    else if (this.#serving !== undefined) this.#keepSpare();
  }

  #backOff(): void {
    clearTimeout(this.#backoff);
    const waitMs = Math.min(firstBackoffMs * 2 ** Math.min(this.#failures - 1, 20), longestBackoffMs);
    this.#backoff = setTimeout(() => {
      this.#backoff = undefined;
      if (this.#serving !== undefined) this.#keepSpare();
    }, waitMs).unref();
  }
}
