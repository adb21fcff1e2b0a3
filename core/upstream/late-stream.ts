import {
  createFramer,
  type Frame,
  type Framer,
  type Framing,
  type GatewayError,
  type ReplySink,
  type ReplyStream,
} from 'portcullis/sdk';
import { lastBoundary, nothingBefore, says } from './event-bounds.ts';
import { firstOf, type Judge } from './first-event.ts';

export interface Lateness {
  readonly framing: Framing;
  readonly judge: Judge;
  /** What it is when it ends before it has said anything. */
  readonly empty: () => GatewayError;
}

/**
 * A stream of which nothing but keep-alives had come when the client's was begun: what keeps it alive goes on, and one that
 * then ends without an answer is an error, as it would have been before.
 */
export class LateStream implements ReplyStream {
  readonly #source: ReplyStream;
  readonly #lateness: Lateness;
  readonly #framer: Framer;
  /** Of an event that is not whole: it may be the end. */
  #held = Buffer.alloc(0);
  #answers = false;
  #over = false;

  constructor(source: ReplyStream, lateness: Lateness) {
    this.#source = source;
    this.#lateness = lateness;
    this.#framer = createFramer(lateness.framing);
  }

  resume(): void {
    this.#source.resume();
  }

  abort(): void {
    this.#source.abort();
  }

  pipe(sink: ReplySink): void {
    this.#source.pipe({
      data: (chunk) => this.#over || (this.#answers ? sink.data(chunk) : this.#look(chunk, sink)),
      end: () => {
        if (this.#over) return;
        if (!this.#answers && !this.#begins(() => this.#framer.end(), true)) return sink.error(this.#lateness.empty());
        if (this.#held.length > 0) sink.data(this.#held);
        sink.end();
      },
      error: (error) => {
        if (!this.#over) sink.error(error);
      },
    });
  }

  #look(chunk: Uint8Array | string, sink: ReplySink): boolean {
    const bytes = Buffer.from(chunk as Uint8Array);
    this.#answers = this.#begins(() => this.#framer.push(bytes), false);
    if (this.#over) {
      this.#source.abort();
      sink.error(this.#lateness.empty());
      return true;
    }
    const held = Buffer.concat([this.#held, bytes]);
    const end = this.#answers || this.#lateness.framing !== 'sse' ? held.length : keptAlive(held);
    this.#held = held.subarray(end);
    return end === 0 || sink.data(held.subarray(0, end));
  }

  /** Whether an answer begins, or something that others have to tell of. */
  #begins(read: () => readonly Frame[], atEnd: boolean): boolean {
    try {
      const first = firstOf(read(), this.#lateness.judge) ?? (atEnd ? { kind: 'none' } : undefined);
      this.#over = first?.kind === 'none';
      return first !== undefined && !this.#over;
    } catch {
      return true;
    }
  }
}

/** How much of the bytes is nothing but whole events and comments. */
function keptAlive(held: Buffer): number {
  return says(held) ? Math.max(0, lastBoundary(held, nothingBefore)) : held.length;
}
