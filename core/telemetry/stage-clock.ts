import type { Timings } from 'portcullis/sdk';

/** What takes time beside what is measured by difference. */
export type Stage = 'parse' | 'guardrailsBefore' | 'cache' | 'upstream' | 'guardrailsAfter';

/** Where the time of one request goes. All moments are of `performance.now()`. */
export class StageClock {
  readonly #begunAt = performance.now();
  #firstByteAt = 0;
  #calledAt = 0;
  parse = 0;
  guardrailsBefore = 0;
  cache = 0;
  upstream = 0;
  guardrailsAfter = 0;

  /** Adds what has passed since a moment to a stage. */
  spend(stage: Stage, since: number): void {
    this[stage] += performance.now() - since;
  }

  /** A provider is called, or the cache has answered: what came before was preparation. Counts the first time. */
  called(): void {
    if (this.#calledAt === 0) this.#calledAt = performance.now();
  }

  /** The head of the reply leaves. */
  replied(): void {
    if (this.#firstByteAt === 0) this.#firstByteAt = performance.now();
  }

  /** Milliseconds from the beginning to a moment. */
  offset(moment: number): number {
    return moment - this.#begunAt;
  }

  /** Milliseconds so far. */
  get elapsed(): number {
    return performance.now() - this.#begunAt;
  }

  timings(): Timings {
    const { parse, guardrailsBefore, cache, upstream, guardrailsAfter } = this;
    const first = this.#firstByteAt - this.#begunAt;
    const called = this.#calledAt === 0 ? this.elapsed : this.#calledAt - this.#begunAt;
    return {
      parse,
      prepare: Math.max(0, called - parse - guardrailsBefore - cache),
      guardrailsBefore,
      cache,
      upstream,
      guardrailsAfter,
      firstByte: this.#firstByteAt === 0 ? undefined : first,
    };
  }
}
