import { createFramer, type Delta, type StreamDecoder } from 'portcullis/sdk';
import { Comments } from './comments.ts';
import { PlainArguments } from './plain-arguments.ts';

export interface Stepped {
  readonly deltas: readonly Delta[];
  /** The bytes say nothing, but that there is somebody: a comment, or an event such as `ping`. */
  readonly idle: boolean;
}

/** The steps of a stream, out of its bytes, with the escapes in arguments of tools undone. Throws what the framing throws. */
export class Steps {
  readonly #framer = createFramer('sse');
  readonly #comments = new Comments();
  readonly #decoder: StreamDecoder;
  readonly #arguments = new PlainArguments();

  constructor(decoder: StreamDecoder) {
    this.#decoder = decoder;
  }

  push(chunk: Uint8Array | string): Stepped {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const commented = this.#comments.isIn(bytes);
    const frames = this.#framer.push(bytes);
    const steps = frames.flatMap((frame) => this.#decoder.push(frame));
    const deltas = this.#plain(steps);
    return { deltas, idle: steps.length === 0 && (commented || frames.length > 0) };
  }

  end(): readonly Delta[] {
    const last = this.#framer.end().flatMap((frame) => this.#decoder.push(frame));
    return [...this.#plain([...last, ...this.#decoder.end()]), ...this.#arguments.end()];
  }

  #plain(steps: readonly Delta[]): readonly Delta[] {
    return steps.flatMap((delta) => this.#arguments.push(delta));
  }
}
