import type { Frame, Framer } from './frame.ts';
import { createLineSplitter } from './lines.ts';

const SPACE = 0x20;
const TAB = 0x09;

export function ndjsonFramer(maxFrameBytes: number): Framer {
  let frames: Frame[] = [];
  const splitter = createLineSplitter('ndjson', maxFrameBytes, (bytes, start, end) => {
    if (!isBlank(bytes, start, end)) frames.push({ data: bytes.toString('utf8', start, end) });
    return 0;
  });
  const taken = (): readonly Frame[] => {
    const complete = frames;
    frames = [];
    return complete;
  };

  return {
    push(chunk) {
      splitter.push(chunk);
      return taken();
    },
    end() {
      splitter.end();
      return taken();
    },
  };
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) {
    if (bytes[i] !== SPACE && bytes[i] !== TAB) return false;
  }
  return true;
}
