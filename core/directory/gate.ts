/** Why something did not run, or not to its end. */
export class GateRefusal extends Error {
  override readonly name = 'GateRefusal';
  /** Whether it had begun: then it is what it asked that was too slow. */
  readonly begun: boolean;

  constructor(message: string, begun: boolean) {
    super(message);
    this.begun = begun;
  }
}

interface Job {
  begin(): void;
  refuse(error: unknown): void;
}

/** Lets so many run at a time and so many wait, and nobody for longer than its limit. */
export class Gate {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #running = new Set<Job>();
  /** In order of arrival. */
  readonly #waiting = new Set<Job>();

  constructor(most: number, mostWaiting: number) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  get running(): number {
    return this.#running.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Waits for a place and does the work there; the limit covers both. Work that has run out of time gives its place free
   * although it may not have ended: its signal tells it to.
   * @throws GateRefusal when too many wait, or when the time is over
   */
  run<T>(work: (signal: AbortSignal) => Promise<T>, limitMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const leaving = new AbortController();
      const end = (settle: () => void): void => {
        if (!this.#running.delete(job) && !this.#waiting.delete(job)) return;
        clearTimeout(timer);
        settle();
      };
      const job: Job = {
        begin: () => {
          this.#waiting.delete(job);
          this.#running.add(job);
          work(leaving.signal).then(
            (value) => {
              end(() => resolve(value));
              this.#next();
            },
            (error: unknown) => {
              end(() => reject(error));
              this.#next();
            },
          );
        },
        refuse: (error) => {
          end(() => {
            reject(error);
            leaving.abort(error);
          });
          // What was broken off ends, and whoever was refused draws their conclusions, before the next one begins.
          setImmediate(() => this.#next());
        },
      };
      if (this.#running.size >= this.#most && this.#waiting.size >= this.#mostWaiting) {
        reject(new GateRefusal('Too many wait already.', false));
        return;
      }
      const expire = () => job.refuse(new GateRefusal(`It took longer than ${limitMs} ms.`, this.#running.has(job)));
      // What has come while this process was busy is read first: it is not late.
      const timer = setTimeout(() => setImmediate(expire), limitMs);
      this.#waiting.add(job);
      this.#next();
    });
  }

  /** Turns away those who wait. */
  refuseWaiting(error: unknown): void {
    for (const job of [...this.#waiting]) job.refuse(error);
  }

  /** Turns everybody away. */
  refuseAll(error: unknown): void {
    this.refuseWaiting(error);
    for (const job of [...this.#running]) job.refuse(error);
  }

  #next(): void {
    for (const job of this.#waiting) {
      if (this.#running.size >= this.#most) return;
      job.begin();
    }
  }
}
