import { passingFault } from './passing-fault.ts';

export interface TurnBounds {
  /** Runs under way at once. */
  readonly running: number;
  /** Of these, of one organisation. */
  readonly runningEach: number;
  /** Runs that wait, in all and of one organisation. */
  readonly waiting: number;
  readonly waitingEach: number;
}

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Turns of a bounded number, handed out to organisations one after the other: who asks for much waits behind its own runs,
 * not others behind it.
 */
export class Turns {
  readonly #bounds: TurnBounds;
  readonly #lines = new Map<string, Line>();
  #running = 0;
  #waiting = 0;

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Resolves when it is this run's turn; give it back with `leave`. Undefined: it is at once.
   * @throws GatewayError `check_failed` when too many wait already
   */
  enter(organisation: string): Promise<void> | undefined {
    const line = this.#lines.get(organisation) ?? { running: 0, waiting: [] };
    const { running, runningEach, waiting, waitingEach } = this.#bounds;
    if (line.waiting.length === 0 && this.#running < running && line.running < runningEach) {
      this.#lines.set(organisation, line);
      line.running += 1;
      this.#running += 1;
      return undefined;
    }
    if (this.#waiting >= waiting || line.waiting.length >= waitingEach)
      throw passingFault('The sandbox is busy: too many runs wait for their turn.');
    this.#lines.set(organisation, line);
    this.#waiting += 1;
    return new Promise((resolve) => line.waiting.push(resolve));
  }

  leave(organisation: string): void {
    const line = this.#lines.get(organisation);
    if (line === undefined) return;
    line.running -= 1;
    this.#running -= 1;
    if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(organisation);
    this.#next();
  }

  /** Who has been served goes to the end of the round. */
  #next(): void {
    if (this.#waiting === 0) return;
    for (const [organisation, line] of this.#lines) {
      if (this.#running >= this.#bounds.running) return;
      if (line.running >= this.#bounds.runningEach) continue;
      const start = line.waiting.shift();
      if (start === undefined) continue;
      this.#lines.delete(organisation);
      this.#lines.set(organisation, line);
      line.running += 1;
      this.#running += 1;
      this.#waiting -= 1;
      start();
      return;
    }
  }
}
