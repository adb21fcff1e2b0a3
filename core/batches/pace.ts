export interface PaceParts {
  /** Milliseconds that only grow. */
  readonly clock: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** At most so many requests in so many milliseconds. */
export const standardPace = { requests: 25, ms: 5_000 } as const;

/** Gives turns: as many as are allowed at once, and each further one when the oldest of them is long enough ago. */
export class Pace {
  readonly #parts: PaceParts;
  readonly #last: number[] = [];

  constructor(parts: PaceParts) {
    this.#parts = parts;
  }

  /** Rejects when the signal says so first. */
  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#parts.clock();
    const oldest = this.#last.length < standardPace.requests ? undefined : this.#last.shift();
    const at = oldest === undefined ? now : Math.max(now, oldest + standardPace.ms);
    this.#last.push(at);
    if (at > now) await this.#parts.sleep(at - now, signal);
    signal.throwIfAborted();
  }
}
