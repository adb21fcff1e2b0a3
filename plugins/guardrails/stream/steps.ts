import { createFramer, type Delta, type StreamDecoder } from 'portcullis/sdk';
import { Comments } from './comments.ts';

export interface Stepped {
  readonly deltas: readonly Delta[];
  /** The bytes say nothing, but that there is somebody: a comment, or an event such as `ping`. */
  readonly idle: boolean;
}

/** The steps of a stream, out of its bytes. Throws what the framing throws. */
export class Steps {
  readonly #framer = createFramer('sse');
  readonly #comments = new Comments();
  readonly #decoder: StreamDecoder;

  constructor(decoder: StreamDecoder) {
    this.#decoder = decoder;
  }

  push(chunk: Uint8Array | string): Stepped {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const commented = this.#comments.isIn(bytes);
    const frames = this.#framer.push(bytes);
    const deltas = frames.flatMap((frame) => this.#decoder.push(frame));
    return { deltas, idle: deltas.length === 0 && (commented || frames.length > 0) };
  }

  end(): readonly Delta[] {
    const last = this.#framer.end().flatMap((frame) => this.#decoder.push(frame));
    return [...last, ...this.#decoder.end()];
  }
}
