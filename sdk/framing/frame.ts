/** The wire formats a stream of frames can arrive in. */
export type Framing = 'sse' | 'ndjson' | 'json-array' | 'event-stream';

/**
 * One complete message of an upstream stream, decoded as UTF-8 (ill-formed bytes become U+FFFD).
 *
 * `data` is the text the dialect's codec parses, mostly one JSON text; it may be empty. `event` is the name the
 * framing gave it and is absent when it gave none. `kind` is set by `event-stream` only: `exception` marks a failure
 * reported inside the stream.
 */
export interface Frame {
  readonly data: string;
  readonly event?: string;
  readonly kind?: 'event' | 'exception';
}

/**
 * Turns the bytes of one stream into frames, in order, whatever the chunk boundaries.
 *
 * `push` returns the frames the chunk completed; the chunk is not kept and may be reused. `end` returns the frames
 * that only the end of the stream completes; it may be called again and then returns none. Both throw `FramingError`
 * and, once they have, throw the same error on every later call. Frames completed earlier in the failing call are
 * dropped. `push` after `end` throws `FramingError`.
 */
export interface Framer {
  push(chunk: Uint8Array): readonly Frame[];
  end(): readonly Frame[];
}

/**
 * Bounds of a framer. `maxFrameBytes` is the most bytes one frame may take on the wire, default 16 MiB; for `sse` it
 * counts the whole data and event lines of a block, for `event-stream` the whole message with its prelude and checksums.
 */
export interface FramerLimits {
  readonly maxFrameBytes?: number;
}

/** The stream breaks its framing's rules, ends inside a frame, or holds a frame over the limit; never quotes content. */
export class FramingError extends Error {
  readonly framing: Framing;

  constructor(framing: Framing, message: string) {
    super(message);
    this.name = 'FramingError';
    this.framing = framing;
  }
}

export function refuseOver(framing: Framing, maxFrameBytes: number, frameBytes: number): void {
  if (frameBytes <= maxFrameBytes) return;
  throw new FramingError(framing, `The ${framing} stream holds a frame larger than ${maxFrameBytes} bytes.`);
}
