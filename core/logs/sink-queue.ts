import type { Counter, FeedbackRow, Log, LogEntry } from 'portcullis/sdk';
import { Breaker, type BreakerSettings } from './breaker.ts';
import { bytesOf, isEntry, type Queued } from './entry-bytes.ts';
import type { LogBatch, LogSink, Refused, SinkState } from './sink.ts';

export interface QueueSettings {
  readonly maxEntries: number;
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
  readonly #waiting: Queued[] = [];
  /** Of each that waits: it is not worked out again. */
  readonly #sizes: number[] = [];
  #bytes = 0;
  #written = 0;
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

  /** Takes it, or drops it where there is no room. Never throws, never waits. */
  push(queued: Queued): void {
    const bytes = bytesOf(queued);
    const { maxEntries, maxBytes, batchEntries, batchMs } = this.#settings;
    if (this.#closed || this.#waiting.length >= maxEntries || this.#bytes + bytes > maxBytes) {
      this.#drop(1, this.#closed ? 'the gateway is stopping' : 'the queue is full');
      return;
    }
    this.#waiting.push(queued);
    this.#sizes.push(bytes);
    this.#bytes += bytes;
    if (this.#waiting.length >= batchEntries) this.#flushSoon();
    else this.#timer ??= setTimeout(() => this.#due(), batchMs).unref();
  }

  get bytes(): number {
    return this.#bytes;
  }

  state(): SinkState {
    return {
      sink: this.#sink.name,
      queued: this.#waiting.length,
      written: this.#written,
      dropped: this.#dropped,
      breaker: this.#breaker.state,
    };
  }

  /** Writes what waits, batch by batch, until nothing does or a write fails. */
  flush(): Promise<void> {
    this.#flushing ??= this.#drain().finally(() => {
      this.#flushing = undefined;
      if (this.#waiting.length > 0 && !this.#closed)
        this.#timer ??= setTimeout(() => this.#due(), this.#settings.batchMs).unref();
    });
    return this.#flushing;
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
    this.#drop(this.#waiting.length, 'the gateway is stopping');
    this.#waiting.length = 0;
    this.#sizes.length = 0;
    this.#bytes = 0;
    await this.#sink.close();
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
    while (this.#waiting.length > 0 && this.#breaker.admits()) {
      const count = this.#batchLength();
      const batch = this.#waiting.slice(0, count);
      let refused: Refused;
      try {
        refused = await this.#sink.write(split(batch));
      } catch (error) {
        this.#parts.log.warn('log_write_failed', { sink: this.#sink.name, message: (error as Error).message });
        this.#breaker.failed();
        return;
      }
      this.#breaker.succeeded();
      this.#settle(batch, refused);
    }
  }

  #settle(batch: readonly Queued[], { count, reason = 'the store refused it' }: Refused): void {
    // Closing may have given up on the batch, and counted it, before its answer came.
    if (this.#waiting[0] !== batch[0]) return;
    this.#waiting.splice(0, batch.length);
    for (const bytes of this.#sizes.splice(0, batch.length)) this.#bytes -= bytes;
    this.#written += batch.length - count;
    this.#parts.counted?.add([this.#sink.name, 'written'], batch.length - count);
    this.#drop(count, reason);
  }

  #batchLength(): number {
    const { batchEntries, batchBytes } = this.#settings;
    const most = Math.min(batchEntries, this.#waiting.length);
    let bytes = 0;
    for (let count = 0; count < most; count++) {
      bytes += this.#sizes[count] ?? 0;
      if (bytes > batchBytes) return Math.max(1, count);
    }
    return most;
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

function split(batch: readonly Queued[]): LogBatch {
  const entries: LogEntry[] = [];
  const feedback: FeedbackRow[] = [];
  for (const queued of batch) {
    if (isEntry(queued)) entries.push(queued);
    else feedback.push(queued);
  }
  return { entries, feedback };
}
