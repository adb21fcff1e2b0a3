import { passingFault } from './passing-fault.ts';

const maxStrikes = 5;
const pauseMs = 30_000;
const maxPrograms = 1000;

interface Count {
  strikes: number;
  /** When the next run may try again; undefined: always. */
  closedUntil: number | undefined;
}

/** Counts what a program does to the sandbox: after five runs in a row that had to be ended by force, it pauses for 30 s. */
export class Strikes {
  readonly #now: () => number;
  readonly #counts = new Map<string, Count>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many programs pause. */
  get paused(): number {
    return [...this.#counts.values()].filter(({ closedUntil }) => closedUntil !== undefined).length;
  }

  /** @throws GatewayError `check_failed` while the program pauses; after that, one run at a time may try */
  admit(key: string, name: string): void {
    const count = this.#counts.get(key);
    if (count?.closedUntil === undefined) return;
    const leftMs = count.closedUntil - this.#now();
    if (leftMs > 0) {
      const seconds = Math.ceil(leftMs / 1000);
      const text = `${name} is not run for another ${seconds} s: its last ${count.strikes} runs had to be ended by force.`;
      throw passingFault(text, seconds);
    }
    // The one that tries: those behind it wait for its end, or for another pause.
    count.closedUntil = this.#now() + pauseMs;
  }

  /** The run ended by itself, whatever it said. */
  forgive(key: string): void {
    this.#counts.delete(key);
  }

  strike(key: string): void {
    const count = this.#counts.get(key) ?? { strikes: 0, closedUntil: undefined };
    this.#counts.delete(key);
    this.#counts.set(key, count);
    count.strikes += 1;
    if (count.strikes >= maxStrikes) count.closedUntil = this.#now() + pauseMs;
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= maxPrograms) break;
      this.#counts.delete(oldest);
    }
  }
}
