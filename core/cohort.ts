/** Enough to keep the code of a step in the processor's caches; with more, sockets would wait. */
const most = 64;

/**
 * Where requests wait for each other, until what the sockets had is read: they then take their next step one right after
 * the other, so that its code is fetched from memory once for all of them (decision 0033). A request that is alone waits
 * for one turn of the event loop.
 */
export class Cohort {
  #waiting: (() => void)[] = [];

  /** Runs the step, which must not throw, with those of the others. */
  join(step: () => void): void {
    if (this.#waiting.push(step) === 1) setImmediate(this.#go);
  }

  /** Resolves when those who wait go on. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.join(resolve));
  }

  readonly #go = (): void => {
    const steps = this.#waiting;
    this.#waiting = steps.splice(most);
    if (this.#waiting.length > 0) setImmediate(this.#go);
    for (const step of steps) step();
  };
}
