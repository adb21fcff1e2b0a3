import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../thread-environment.ts';
import { tokensByLength } from './count-text.ts';
import type { CountJob, CountResult } from './count-worker.ts';

/** How long the tokenizer, which takes some 80 MB, stays after its last use. */
const idleMs = 60_000;

interface Waiting {
  readonly texts: readonly string[];
  readonly done: (tokens: readonly number[]) => void;
}

/**
 * Counts tokens of texts in a thread of its own, which is started when it is first needed. Where it fails, the length of a
 * text has to do.
 */
export class TokenCounter {
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  #lastId = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** The tokens of each text, by the o200k_base encoding. */
  count(texts: readonly string[]): Promise<readonly number[]> {
    if (this.#closed) return Promise.resolve(texts.map(tokensByLength));
    clearTimeout(this.#idle);
    return new Promise((done) => {
      this.#lastId += 1;
      this.#waiting.set(this.#lastId, { texts, done });
      this.#worker ??= this.#start();
      // While somebody waits the process must not end.
      this.#worker.ref();
      this.#worker.postMessage({ id: this.#lastId, texts } satisfies CountJob);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#stop();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./count-worker.ts', import.meta.url), {
      execArgv: [],
      env: threadEnvironment(),
    });
    worker.on('message', ({ id, tokens }: CountResult) => this.#settle(id, tokens));
    worker.on('error', () => this.#lost(worker));
    worker.on('exit', () => this.#lost(worker));
    return worker;
  }

  #settle(id: number, tokens: readonly number[]): void {
    this.#waiting.get(id)?.done(tokens);
    this.#waiting.delete(id);
    if (this.#waiting.size > 0) return;
    this.#worker?.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#stop(), idleMs).unref();
  }

  /** What the thread was asked for and will not answer any more. */
  #lost(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const [id, { texts }] of [...this.#waiting]) this.#settle(id, texts.map(tokensByLength));
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#lost(worker);
    clearTimeout(this.#idle);
    await worker.terminate();
  }
}
