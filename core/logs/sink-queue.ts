import type { Counter, FeedbackRow, Log, LogEntry } from 'portcullis/sdk';
import { BatchWriter, BlockPool } from './batch-writer.ts';
import { Breaker, type BreakerSettings } from './breaker.ts';
import type { LogSink, Refused, SinkState } from './sink.ts';

export interface QueueSettings {
  readonly maxEntries: number;
  /** What comes once they are passed is dropped. */
  readonly maxBytes: number;
  readonly batchEntries: number;
  /** A batch takes no more after it has passed this. */
  readonly batchBytes: number;
  /** Longest wait of a batch that is not full. */
  readonly batchMs: number;
  /** Of the last writes, when the gateway ends. */
  readonly closeMs: number;
}

export interface QueueParts {
  readonly now: () => number;
  readonly log: Log;
  /** By sink and outcome: `written` or `dropped`. */
  readonly counted?: Counter;
  /** Transitions, by sink and new state. */
  readonly transitions?: Counter;
}

const quietMs = 10_000;

/** The bounded queue before a sink. What is put in is written or dropped, and counted as one of the two. */
export class SinkQueue {
  readonly #sink: LogSink;
  readonly #settings: QueueSettings;
  readonly #parts: QueueParts;
  readonly #breaker: Breaker;
  readonly #pool = new BlockPool();
  /** The first that came is the first to be written; only the last one grows. */
  #waiting: BatchWriter[] = [];
  #queued = 0;
  #bytes = 0;
  #written = 0;
  /** Written or dropped after they had been taken. */
  #settled = 0;
  #onSettled: (() => void)[] = [];
  #dropped = 0;
  #unsaid = 0;
  #quietUntil = Number.NEGATIVE_INFINITY;
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #immediate = false;
  #closed = false;

  constructor(sink: LogSink, settings: QueueSettings & BreakerSettings, parts: QueueParts) {
    this.#sink = sink;
    this.#settings = settings;
    this.#parts = parts;
    this.#breaker = new Breaker(settings, parts.now, (from, to) => {
      const line = { sink: sink.name, from, to };
      if (to === 'open') parts.log.error('log_store_breaker', line);
      else parts.log.warn('log_store_breaker', line);
      parts.transitions?.add([sink.name, to]);
    });
  }

  /** Takes it, or drops it where there is no room. Never throws, never waits, and keeps nothing of the objects. */
  push(entry: LogEntry): void {
    this.#take((batch) => batch.add(entry));
  }

  /** The same for a feedback. */
  pushFeedback(row: FeedbackRow): void {
    this.#take((batch) => batch.addFeedback(row));
  }

  get bytes(): number {
    return this.#bytes;
  }

  state(): SinkState {
    return {
      sink: this.#sink.name,
      queued: this.#queued,
      written: this.#written,
      dropped: this.#dropped,
      breaker: this.#breaker.state,
    };
  }

  /** Writes what waits, batch by batch, until nothing does or a write fails. */
  flush(): Promise<void> {
    this.#flushing ??= this.#drain().finally(() => {
      this.#flushing = undefined;
      this.#tellSettled();
      if (this.#queued > 0 && !this.#closed)
        this.#timer ??= setTimeout(() => this.#due(), this.#settings.batchMs).unref();
    });
    return this.#flushing;
  }

  /** Resolves when all that waits now has been written, or a write has failed. */
  async caughtUp(): Promise<void> {
    const goal = this.#settled + this.#queued;
    while (this.#settled < goal) {
      const before = this.#settled;
      await Promise.race([this.flush(), new Promise<void>((resolve) => this.#onSettled.push(resolve))]);
      if (this.#settled === before) return;
    }
  }

  /** Writes what waits, within bounds; the rest is dropped and counted. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#settings.closeMs);
    });
    // What is under way was begun before the last entries came.
    await Promise.race([this.flush().then(() => this.flush()), limit]);
    clearTimeout(timer);
    this.#drop(this.#queued, 'the gateway is stopping');
    this.#waiting = [];
    this.#queued = 0;
    this.#bytes = 0;
    await this.#sink.close();
  }

  #take(add: (batch: BatchWriter) => void): void {
    const { maxEntries, maxBytes, batchMs } = this.#settings;
    if (this.#closed || this.#queued >= maxEntries || this.#bytes >= maxBytes) {
      this.#drop(1, this.#closed ? 'the gateway is stopping' : 'the queue is full');
      return;
    }
    const batch = this.#growing();
    const before = batch.bytes;
    try {
      add(batch);
    } catch (error) {
      this.#drop(1, (error as Error).message);
      return;
    }
    this.#bytes += batch.bytes - before;
    this.#queued += 1;
    if (this.#isFull(batch)) this.#flushSoon();
    else this.#timer ??= setTimeout(() => this.#due(), batchMs).unref();
  }

  #growing(): BatchWriter {
    const last = this.#waiting.at(-1);
    if (last !== undefined && !last.isSealed && !this.#isFull(last)) return last;
    const batch = new BatchWriter(this.#sink.withBodies, this.#pool);
    this.#waiting.push(batch);
    return batch;
  }

  #isFull({ count, bytes }: BatchWriter): boolean {
    return count >= this.#settings.batchEntries || bytes >= this.#settings.batchBytes;
  }

  #due(): void {
    this.#timer = undefined;
    void this.flush();
  }

  /** Not within the request that filled the batch. */
  #flushSoon(): void {
    if (this.#immediate || this.#flushing !== undefined) return;
    this.#immediate = true;
    setImmediate(() => {
      this.#immediate = false;
      void this.flush();
    });
  }

  async #drain(): Promise<void> {
    while (this.#queued > 0 && this.#breaker.admits()) {
      const batch = this.#waiting[0] as BatchWriter;
      let refused: Refused;
      try {
        refused = await this.#sink.write(batch.packed());
      } catch (error) {
        this.#parts.log.warn('log_write_failed', { sink: this.#sink.name, message: (error as Error).message });
        this.#breaker.failed();
        return;
      }
      this.#breaker.succeeded();
      this.#settle(batch, refused);
    }
  }

  #settle(batch: BatchWriter, { count, reason = 'the store refused it' }: Refused): void {
    // Closing may have given up on the batch, and counted it, before its answer came.
    if (this.#waiting[0] !== batch) return;
    this.#waiting.shift();
    this.#queued -= batch.count;
    this.#settled += batch.count;
    this.#bytes -= batch.bytes;
    this.#written += batch.count - count;
    this.#parts.counted?.add([this.#sink.name, 'written'], batch.count - count);
    this.#drop(count, reason);
    batch.release();
    this.#tellSettled();
  }

  #tellSettled(): void {
    for (const told of this.#onSettled.splice(0)) told();
  }

  #drop(count: number, reason: string): void {
    if (count === 0) return;
    this.#dropped += count;
    this.#unsaid += count;
    this.#parts.counted?.add([this.#sink.name, 'dropped'], count);
    const now = this.#parts.now();
    if (now < this.#quietUntil) return;
    this.#parts.log.error('log_entries_dropped', { sink: this.#sink.name, dropped: this.#unsaid, reason });
    this.#unsaid = 0;
    this.#quietUntil = now + quietMs;
  }
}
