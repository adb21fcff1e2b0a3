/** Does one thing again and again, one run at a time; between two runs it waits as long as it is told then. */
export class Poller {
  readonly #work: () => Promise<void>;
  readonly #delayMs: () => number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #closed = false;

  /** @param work never rejects */
  constructor(work: () => Promise<void>, delayMs: () => number) {
    this.#work = work;
    this.#delayMs = delayMs;
  }

  /** A run that begins now, or right after the one that is under way. */
  now(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if (this.#running === undefined) return this.#run();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.now();
    });
    return this.#next;
  }

  /** As `now`, but a run that is under way will do. */
  soon(): void {
    if (this.#running === undefined) void this.now();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#running = this.#work().then(() => {
      this.#running = undefined;
      if (this.#closed) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.now(), this.#delayMs());
      // Asking for news is no reason to stay alive.
      this.#timer.unref();
    });
    return this.#running;
  }
}
