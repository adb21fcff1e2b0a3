import { type Framing, refuseOver } from './frame.ts';
import { asBuffer, createHeldBytes } from './held-bytes.ts';

const LF = 0x0a;
const CR = 0x0d;

/**
 * Receives one line without its line end as `bytes[start..end)`, valid during the call only. Returns how many bytes of
 * an unfinished frame it keeps from this and earlier lines; they count against the limit together with the next line.
 */
export type OnLine = (bytes: Buffer, start: number, end: number) => number;

export interface LineSplitter {
  push(chunk: Uint8Array): void;
  end(): void;
}

/** Splits bytes at LF, CRLF and CR, drops one leading byte order mark, and refuses what exceeds `maxFrameBytes`. */
export function createLineSplitter(framing: Framing, maxFrameBytes: number, onLine: OnLine): LineSplitter {
  const held = createHeldBytes(maxFrameBytes);
  let kept = 0;
  let isFirstLine = true;
  let skipsLf = false;

  const line = (bytes: Buffer, start: number, end: number): void => {
    refuseOver(framing, maxFrameBytes, kept + end - start);
    kept = onLine(bytes, isFirstLine ? afterByteOrderMark(bytes, start, end) : start, end);
    isFirstLine = false;
  };
  const finish = (bytes: Buffer, start: number, end: number): void => {
    if (held.length === 0) {
      line(bytes, start, end);
      return;
    }
    refuseOver(framing, maxFrameBytes, kept + held.length + end - start);
    held.append(bytes, start, end);
    const whole = held.take();
    line(whole, 0, whole.length);
  };

  return {
    push(chunk) {
      const bytes = asBuffer(chunk);
      if (bytes.length === 0) return;
      // A CR ended the last chunk and its line was delivered at once; an LF here is the second half of that line end.
      let start = skipsLf && bytes[0] === LF ? 1 : 0;
      skipsLf = false;
      let lf = indexOrEnd(bytes, LF, start);
      let cr = indexOrEnd(bytes, CR, start);
      while (lf < bytes.length || cr < bytes.length) {
        const stop = Math.min(lf, cr);
        finish(bytes, start, stop);
        start = cr === stop && lf === stop + 1 ? stop + 2 : stop + 1;
        skipsLf = cr === bytes.length - 1 && cr === stop;
        if (lf < start) lf = indexOrEnd(bytes, LF, start);
        if (cr < start) cr = indexOrEnd(bytes, CR, start);
      }
      refuseOver(framing, maxFrameBytes, kept + held.length + bytes.length - start);
      if (start < bytes.length) held.append(bytes, start, bytes.length);
    },
    end() {
      if (held.length > 0) finish(EMPTY, 0, 0);
    },
  };
}

const EMPTY = Buffer.alloc(0);

function indexOrEnd(bytes: Buffer, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from);
  return index === -1 ? bytes.length : index;
}

function afterByteOrderMark(bytes: Buffer, start: number, end: number): number {
  const isMark = end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
  return isMark ? start + 3 : start;
}
