import { GatewayError, type ReplyStream } from 'portcullis/sdk';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { Ending } from './settle.ts';

/** Pieces that wait for a reader before their source is asked to pause. */
const mostWaiting = 16;

export interface ReplyPiecesOptions {
  readonly cancellation: Cancellation;
  /** Told of each piece that its reader will get. */
  readonly passed: (chunk: Uint8Array | string) => void;
  /** Runs once: when the last piece has come, or the reader or the caller has left. */
  readonly done: (ending: Ending) => void;
}

/**
 * A stream as its reader asks for it. No generator: leaving must end the call to the provider at once, also before the
 * first piece was asked for, and while one is waited for.
 */
export class ReplyPieces implements AsyncIterableIterator<Uint8Array> {
  readonly #stream: ReplyStream;
  readonly #options: ReplyPiecesOptions;
  readonly #waiting: Uint8Array[] = [];
  #over: Error | 'end' | undefined;
  #paused = false;
  #news: PromiseWithResolvers<void> | undefined;

  constructor(stream: ReplyStream, options: ReplyPiecesOptions) {
    this.#stream = stream;
    this.#options = options;
    const forget = options.cancellation.onCancel(() => this.#leave(gone()));
    // Who left before the reply was there has given it up already.
    if (this.#over !== undefined) return;
    const finish = (over: Error | 'end') => {
      forget();
      this.#finish(over);
    };
    stream.pipe({
      data: (chunk) => this.#take(chunk),
      end: () => finish('end'),
      error: finish,
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const value = this.#waiting.shift();
      if (value !== undefined) {
        this.#resume();
        return { done: false, value };
      }
      if (this.#over instanceof Error) {
        const error = this.#over;
        this.#over = 'end';
        throw error;
      }
      if (this.#over === 'end') return { done: true, value: undefined };
      this.#news ??= Promise.withResolvers<void>();
      await this.#news.promise;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#leave('end');
    this.#waiting.length = 0;
    return { done: true, value: undefined };
  }

  #take(chunk: Uint8Array | string): boolean {
    if (this.#over !== undefined || this.#options.cancellation.cancelled) return true;
    this.#options.passed(chunk);
    this.#waiting.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    this.#wake();
    this.#paused = this.#waiting.length >= mostWaiting;
    return !this.#paused;
  }

  #resume(): void {
    if (!this.#paused || this.#waiting.length > 0 || this.#over !== undefined) return;
    this.#paused = false;
    this.#stream.resume();
  }

  #leave(over: Error | 'end'): void {
    if (this.#over !== undefined) return;
    this.#over = over;
    this.#waiting.length = 0;
    this.#options.done('left');
    this.#stream.abort();
    this.#wake();
  }

  #finish(over: Error | 'end'): void {
    if (this.#over !== undefined) return;
    // The transport may tell of a caller's leave, as an end, before the listener above has run.
    if (this.#options.cancellation.cancelled) {
      this.#leave(gone());
      return;
    }
    this.#over = over;
    this.#options.done(over === 'end' ? 'sent' : 'left');
    this.#wake();
  }

  #wake(): void {
    this.#news?.resolve();
    this.#news = undefined;
  }
}

function gone(): GatewayError {
  return new GatewayError('client_closed', 'The caller left before the reply was complete.');
}
