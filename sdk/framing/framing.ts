import { eventStreamFramer } from './event-stream.ts';
import { type Frame, type Framer, type FramerLimits, type Framing, FramingError } from './frame.ts';
import { jsonArrayFramer } from './json-array.ts';
import { ndjsonFramer } from './ndjson.ts';
import { sseFramer } from './sse.ts';

export { type Frame, type Framer, type FramerLimits, type Framing, FramingError } from './frame.ts';
export { sseFrame } from './sse.ts';

const DEFAULT_MAX_FRAME_BYTES = 16 * 1024 * 1024;

const FRAMERS: Readonly<Record<Framing, (maxFrameBytes: number) => Framer>> = {
  sse: sseFramer,
  ndjson: ndjsonFramer,
  'json-array': jsonArrayFramer,
  'event-stream': eventStreamFramer,
};

/**
 * Makes a framer for one stream; a framer is never shared between streams.
 *
 * - `sse`: EventSource stream format (WHATWG HTML, Server-sent events). Unlike a browser, a last block with data but
 *   without its blank line is dispatched at `end`.
 * - `ndjson`: one JSON text a line, ended by LF, CRLF, CR or the end of the stream; blank lines are skipped.
 * - `json-array`: one JSON array over the whole stream, a frame for each element; a single top-level object, as error
 *   bodies are, is one frame at `end`. The text of an element is not validated beyond its brackets and strings.
 * - `event-stream`: `application/vnd.amazon.eventstream` messages, both checksums checked.
 *
 * Time is linear in the bytes pushed. Memory stays within `maxFrameBytes` of unfinished input.
 *
 * @throws RangeError when `maxFrameBytes` is not a positive integer
 */
export function createFramer(framing: Framing, limits: FramerLimits = {}): Framer {
  const maxFrameBytes = limits.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
  if (!Number.isSafeInteger(maxFrameBytes) || maxFrameBytes < 1) {
    throw new RangeError('maxFrameBytes must be a positive integer.');
  }
  return guarded(framing, FRAMERS[framing](maxFrameBytes));
}

// A framer that failed is in the middle of a frame: going on would deliver its remains as frames.
function guarded(framing: Framing, framer: Framer): Framer {
  let failure: unknown;
  let ended = false;
  const attempt = (step: () => readonly Frame[]): readonly Frame[] => {
    if (failure !== undefined) throw failure;
    try {
      return step();
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  return {
    push: (chunk) =>
      attempt(() => {
        if (ended) throw new FramingError(framing, `The ${framing} stream has ended; it takes no more bytes.`);
        return framer.push(chunk);
      }),
    end: () =>
      attempt(() => {
        if (ended) return [];
        ended = true;
        return framer.end();
      }),
  };
}
