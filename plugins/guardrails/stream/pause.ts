/** Calls once the time is over, unless it is stopped before; a second start changes nothing. */
export class Pause {
  readonly #ms: number;
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, over: () => void) {
    this.#ms = ms;
    this.#over = over;
  }

  start(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#over();
    }, this.#ms).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
