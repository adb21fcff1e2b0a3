import { createFramer, type Delta, GatewayError, type StreamDecoder } from 'portcullis/sdk';
import { Comments } from './comments.ts';
import type { Start } from './events.ts';
import { PlainArguments } from './plain-arguments.ts';

export interface Stepped {
  readonly deltas: readonly Delta[];
  /** The bytes say nothing, but that there is somebody: a comment, or an event such as `ping`. */
  readonly idle: boolean;
}

/** What a reply begins with: names and numbers alone, which nobody has to look at. */
export type Opening = Omit<Start, 'extra'>;

/** Most bytes of a stream that nobody looks at before it is whole. */
const maxWhole = 16 * 1024 * 1024;

/** The steps of a stream, out of its bytes, with the escapes in arguments of tools undone. Throws what the framing throws. */
export class Steps {
  readonly #framer = createFramer('sse');
  readonly #comments = new Comments();
  readonly #decoder: StreamDecoder;
  readonly #arguments = new PlainArguments();
  readonly #whole: boolean;
  #opening: Opening | undefined;
  #bytes = 0;

  /** @param whole all of them are kept, so there is a bound */
  constructor(decoder: StreamDecoder, whole: boolean) {
    this.#decoder = decoder;
    this.#whole = whole;
  }

  /** Undefined: it has not come. */
  get opening(): Opening | undefined {
    return this.#opening;
  }

  push(chunk: Uint8Array | string): Stepped {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#bytes += bytes.length;
    if (this.#whole && this.#bytes > maxWhole)
      throw new GatewayError('check_failed', 'The reply is longer than what is kept for checks of whole replies.');
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
    return steps.flatMap((delta) => {
      if (delta.type === 'start') this.#opening = openingOf(delta);
      return this.#arguments.push(delta);
    });
  }
}

function openingOf({ extra: _, ...opening }: Start): Opening {
  return opening;
}
