import type { Delta, ReplySink, StreamEncoder } from 'portcullis/sdk';
import { comment } from './comments.ts';
import { isSpoken } from './kinds.ts';
import type { Opening } from './steps.ts';

/** Writes steps in the client's format; what comes before there is a client to write to is kept. */
export class Outlet {
  readonly #encoder: StreamEncoder;
  #sink: ReplySink | undefined;
  #unsent: string[] = [];
  #opened = false;
  #said = false;
  #ended = false;
  readonly #finished = new Set<number>();
  /** The client has asked to wait. */
  paused = false;

  constructor(encoder: StreamEncoder) {
    this.#encoder = encoder;
  }

  /** Whether any text has gone out, or would have. */
  get hasSaid(): boolean {
    return this.#said;
  }

  /** Without a client only what comes before the first text is kept. */
  get takesMore(): boolean {
    return !this.paused && (this.#sink !== undefined || !this.#said);
  }

  open(sink: ReplySink): void {
    this.#sink = sink;
    for (const text of this.#unsent.splice(0)) this.paused = !sink.data(text);
  }

  send(deltas: readonly Delta[]): void {
    let text = '';
    for (const delta of deltas) {
      this.#opened ||= delta.type === 'start';
      if (isSpoken(delta) && delta.text !== '') this.#said = true;
      if (delta.type === 'finish') this.#finished.add(delta.choice);
      text += this.#encoder.push(delta);
    }
    if (text === '') return;
    if (this.#sink === undefined) this.#unsent.push(text);
    else this.#write(text);
  }

  /** Says that there is still somebody. */
  stayAlive(): void {
    this.#write(comment);
  }

  /**
   * Ends an answer that a guardrail has stopped: each choice that has begun is finished, as its format wants it.
   * @param blocks the last block of each choice
   * @param opening what the provider has opened its reply with
   */
  stop(blocks: ReadonlyMap<number, number>, replacement: string | undefined, opening: Opening | undefined): void {
    if (!this.#opened && opening !== undefined) this.send([opening]);
    const begun = [...blocks.keys()].filter((choice) => !this.#finished.has(choice)).toSorted((a, b) => a - b);
    for (const choice of begun.length === 0 ? [0] : begun) {
      // What is said in the place of an answer opens a part of its own.
      const block = (blocks.get(choice) ?? -1) + 1;
      if (replacement !== undefined) this.send([{ type: 'text', choice, block, text: replacement }]);
      this.send([{ type: 'finish', choice, reason: replacement === undefined ? 'content_filter' : 'stop' }]);
    }
    this.send([{ type: 'end' }]);
  }

  end(): void {
    if (this.#ended || this.#sink === undefined) return;
    this.#ended = true;
    this.#sink.end();
  }

  #write(text: string): void {
    if (this.#sink !== undefined && !this.#sink.data(text)) this.paused = true;
  }
}
