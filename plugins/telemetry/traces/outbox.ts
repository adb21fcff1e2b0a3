/** What became of a batch. */
export type Sent = 'exported' | 'failed';

export interface OutboxOptions<Item> {
  /** Never rejects. */
  readonly send: (batch: readonly Item[]) => Promise<Sent>;
  /** Told of each end of items: `queue_full` and `closed` are those that were never sent. */
  readonly ended: (ending: Sent | 'queue_full' | 'closed', count: number) => void;
}

/** Items that may wait. */
export const mostWaiting = 2048;
/** Small enough that putting a batch together keeps the loop for about a millisecond. */
export const batchSize = 64;
const mostRunning = 4;
const waitMs = 1000;
const flushMs = 2000;

/** Takes items without waiting and sends them in batches; what finds it full is lost, and counted. */
export class Outbox<Item> {
  readonly #options: OutboxOptions<Item>;
  #waiting: Item[] = [];
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #next: NodeJS.Immediate | undefined;
  #closed = false;

  constructor(options: OutboxOptions<Item>) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  add(item: Item): void {
    const refused = this.#closed ? 'closed' : this.#waiting.length >= mostWaiting ? 'queue_full' : undefined;
    if (refused !== undefined) {
      this.#options.ended(refused, 1);
      return;
    }
    this.#waiting.push(item);
    if (this.#waiting.length >= batchSize) this.#soon();
    else this.#timer ??= setTimeout(() => this.#start(), waitMs).unref();
  }

  /** Sends what waits, for two seconds at most; what is left then is lost. */
  async close(): Promise<void> {
    this.#closed = true;
    const until = Date.now() + flushMs;
    while ((this.#waiting.length > 0 || this.#running.size > 0) && Date.now() < until) {
      this.#start();
      await Promise.race([...this.#running, elapsed(until - Date.now())]);
    }
    clearTimeout(this.#timer);
    clearImmediate(this.#next);
    if (this.#waiting.length > 0) this.#options.ended('closed', this.#waiting.length);
    this.#waiting = [];
  }

  /** Behind what the loop has to do now: a request is just being finished. */
  #soon(): void {
    if (this.#running.size < mostRunning) this.#next ??= setImmediate(() => this.#start());
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next = undefined;
    if (this.#waiting.length === 0 || this.#running.size >= mostRunning) return;
    const batch = this.#waiting.splice(0, batchSize);
    const running = this.#options.send(batch).then((sent) => {
      this.#running.delete(running);
      this.#options.ended(sent, batch.length);
      if (this.#waiting.length > 0) this.#soon();
    });
    this.#running.add(running);
    if (this.#waiting.length >= batchSize) this.#soon();
    else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#start(), waitMs).unref();
  }
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms)).unref();
  });
}
