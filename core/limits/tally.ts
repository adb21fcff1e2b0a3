import { GatewayError, type Log } from 'portcullis/sdk';
import { type CounterSource, type CountKey, keyText, mostUsed, type UsageBatch } from './counter-source.ts';

export interface TallyParts {
  readonly source: CounterSource;
  readonly log: Log;
  /** An id that no other process has. */
  readonly writer: string;
  readonly flushMs: number;
  /** So many commits are written at once, without waiting for the time to pass. */
  readonly flushCommits: number;
}

interface Delta extends CountKey {
  amount: number;
  commits: number;
}

interface Sending {
  readonly batch: UsageBatch;
  readonly deltas: ReadonlyMap<string, Delta>;
  tries: number;
}

interface Question {
  readonly count: CountKey;
  readonly answered: Promise<number>;
  readonly resolve: (used: number) => void;
  readonly reject: (error: unknown) => void;
}

const mostDeltas = 100_000;
const mostOfBatch = 500;
const mostQuestions = 500;
const answerMs = 1_000;
const addMs = 10_000;
const longestPauseMs = 10_000;
// An error that is not one of an absence may still be over the next time; one that stays must not hold up everything.
const triesOfFault = 5;

/**
 * What is counted here, on its way to the source: gathered, and written in batches one after the other. A crash loses
 * what has come in since the last batch was written, which `unflushed` tells at any time. Questions and batches take
 * turns, so that an answer and what is pending never have the same delta in them.
 */
export class Tally {
  readonly #parts: TallyParts;
  #waiting = new Map<string, Delta>();
  #commitsWaiting = 0;
  #sending: Sending | undefined;
  #questions = new Map<string, Question>();
  #turn: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #batches = 0;
  #failures = 0;
  #lost = 0;
  #askAgainAt = 0;

  constructor(parts: TallyParts) {
    this.#parts = parts;
  }

  /** Commits that are not in the source yet. */
  get unflushed(): number {
    let sum = this.#commitsWaiting;
    for (const { commits } of this.#sending?.deltas.values() ?? []) sum += commits;
    return sum;
  }

  /** Commits that never came there: the source refused them, or was away for too long. */
  get lost(): number {
    return this.#lost;
  }

  add(count: CountKey, amount: number): void {
    if (amount === 0) return;
    const key = keyText(count);
    const known = this.#waiting.get(key);
    if (known !== undefined) {
      known.amount = Math.min(known.amount + amount, mostUsed);
      known.commits += 1;
    } else if (this.#waiting.size < mostDeltas) {
      const { organisationId, name, start } = count;
      this.#waiting.set(key, { organisationId, name, start, amount, commits: 1 });
    } else {
      this.#lose(1, 'too many counts wait for the store');
      return;
    }
    this.#commitsWaiting += 1;
    if (this.#commitsWaiting >= this.#parts.flushCommits && this.#failures === 0) this.#start();
    else this.#wake(this.#parts.flushMs);
  }

  /** What is still missing from the source's figure. */
  pending(count: CountKey): number {
    const key = keyText(count);
    return (this.#waiting.get(key)?.amount ?? 0) + (this.#sending?.deltas.get(key)?.amount ?? 0);
  }

  /**
   * What the source says has been used; `pending` comes on top, seen when the answer is. Those who ask at once share it.
   * @throws GatewayError `not_ready` when the source does not answer; at once while it is known to be away
   */
  load(count: CountKey): Promise<number> {
    const key = keyText(count);
    const asked = this.#questions.get(key);
    if (asked !== undefined) return asked.answered;
    if (this.#failures > 0 && performance.now() < this.#askAgainAt) return Promise.reject(away());
    const { promise: answered, resolve, reject } = Promise.withResolvers<number>();
    this.#questions.set(key, { count, answered, resolve, reject });
    this.#start();
    return answered;
  }

  /** Sets the figure of the source; what waits to be added to it belongs to the time before, and goes first. */
  async set(count: CountKey, used: number): Promise<void> {
    if (!(await this.flush())) throw away();
    await this.#parts.source.set(count, used);
  }

  /** Writes what has come in until now. False: the source is away. */
  async flush(): Promise<boolean> {
    while (this.#waiting.size > 0 || this.#sending !== undefined) {
      const failures = this.#failures;
      this.#start();
      await this.#turn;
      if (this.#failures > failures) return false;
    }
    return true;
  }

  /** Writes what has come in, once: a store that is away is not waited for again. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const flushed = await this.flush();
    clearTimeout(this.#timer);
    if (!flushed) this.#lose(this.unflushed, 'the store was away when the process ended');
  }

  #wake(ms: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#start();
    }, ms);
    this.#timer.unref();
  }

  #start(): void {
    if (this.#turn !== undefined) return;
    this.#turn = this.#take().finally(() => {
      this.#turn = undefined;
      if (this.#questions.size > 0) this.#start();
      else if (this.#waiting.size > 0 || this.#sending !== undefined) this.#wake(this.#pauseMs());
    });
  }

  #pauseMs(): number {
    const { flushMs, flushCommits } = this.#parts;
    if (this.#failures > 0) return Math.min(longestPauseMs, flushMs * 2 ** this.#failures);
    return this.#commitsWaiting >= flushCommits ? 0 : flushMs;
  }

  async #take(): Promise<void> {
    await this.#send();
    await this.#ask();
  }

  async #send(): Promise<void> {
    this.#sending ??= this.#nextBatch();
    const sending = this.#sending;
    if (sending === undefined) return;
    try {
      await within(addMs, this.#parts.source.add(sending.batch));
      this.#sending = undefined;
      this.#succeeded();
    } catch (error) {
      sending.tries += 1;
      this.#failed(error);
      if (isAbsence(error) || sending.tries < triesOfFault) return;
      this.#sending = undefined;
      let commits = 0;
      for (const delta of sending.deltas.values()) commits += delta.commits;
      this.#lose(commits, 'the store refuses them');
    }
  }

  #nextBatch(): Sending | undefined {
    if (this.#waiting.size === 0) return undefined;
    let deltas = this.#waiting;
    if (deltas.size > mostOfBatch) {
      deltas = new Map([...this.#waiting].slice(0, mostOfBatch));
      for (const key of deltas.keys()) this.#waiting.delete(key);
    } else {
      this.#waiting = new Map();
    }
    for (const { commits } of deltas.values()) this.#commitsWaiting -= commits;
    this.#batches += 1;
    const { writer } = this.#parts;
    const told = [...deltas.values()].map(({ commits: _, ...delta }) => delta);
    return { batch: { writer, number: this.#batches, deltas: told }, deltas, tries: 0 };
  }

  async #ask(): Promise<void> {
    const asked = [...this.#questions].slice(0, mostQuestions);
    if (asked.length === 0) return;
    try {
      // Whether the source has the batch that failed is not known, so no figure that it is part of can be trusted.
      if (this.#sending !== undefined) throw away();
      const figures = await within(answerMs, this.#parts.source.load(asked.map(([, { count }]) => count)));
      for (const [index, [key, question]] of asked.entries()) {
        this.#questions.delete(key);
        question.resolve(figures[index] ?? 0);
      }
      this.#succeeded();
    } catch (error) {
      if (this.#sending === undefined) this.#failed(error);
      for (const [key, question] of asked) {
        this.#questions.delete(key);
        question.reject(error);
      }
    }
  }

  #succeeded(): void {
    if (this.#failures > 0) this.#parts.log.info('usage_store_back', { unflushed: this.unflushed });
    this.#failures = 0;
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    this.#askAgainAt = performance.now() + this.#pauseMs();
    if (this.#failures > 1) return;
    const told = GatewayError.is(error) ? error.message : error instanceof Error ? error.name : 'not an error';
    this.#parts.log.warn('usage_store_away', { error: told, counting: 'in memory' });
  }

  #lose(commits: number, reason: string): void {
    if (commits === 0) return;
    // Once for each power of two: a store that is away for long would fill the log.
    const before = this.#lost;
    this.#lost += commits;
    if (Math.floor(Math.log2(before + 1)) === Math.floor(Math.log2(this.#lost + 1))) return;
    this.#parts.log.error('usage_lost', { commits: this.#lost, reason });
  }
}

function away(): GatewayError {
  return new GatewayError('not_ready', 'The store of usage cannot be asked at the moment. Try again shortly.', {
    headers: { 'retry-after': '1' },
  });
}

function isAbsence(error: unknown): boolean {
  return GatewayError.is(error) && error.code === 'not_ready';
}

/** Rejects when it takes longer; what it waits for is not stopped. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(away()), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
