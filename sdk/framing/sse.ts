import type { Frame, Framer } from './frame.ts';
import { createLineSplitter } from './lines.ts';

const COLON = 0x3a;
const SPACE = 0x20;
const DATA = Buffer.from('data');
const EVENT = Buffer.from('event');
const LINE_END = /\r\n|\r|\n/;

export function sseFramer(maxFrameBytes: number): Framer {
  let frames: Frame[] = [];
  let lines: string[] = [];
  let event = '';
  let keptBytes = 0;

  const dispatch = (): void => {
    if (lines.length > 0) {
      const data = lines.join('\n');
      frames.push(event === '' ? { data } : { data, event });
      lines = [];
    }
    event = '';
    keptBytes = 0;
  };
  const splitter = createLineSplitter('sse', maxFrameBytes, (bytes, start, end) => {
    if (start === end) {
      dispatch();
      return 0;
    }
    const dataAt = valueStart(DATA, bytes, start, end);
    const eventAt = dataAt === undefined ? valueStart(EVENT, bytes, start, end) : undefined;
    if (dataAt !== undefined) lines.push(bytes.toString('utf8', dataAt, end));
    if (eventAt !== undefined) event = bytes.toString('utf8', eventAt, end);
    if (dataAt !== undefined || eventAt !== undefined) keptBytes += end - start + 1;
    return keptBytes;
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
      dispatch();
      return taken();
    },
  };
}

/**
 * Encodes one SSE frame with LF line ends; `data` of several lines (LF, CRLF or CR) becomes several data lines.
 *
 * An absent or empty `event` writes no event line; a line break inside `event` becomes a space, as it would otherwise
 * let the name forge fields. Source: WHATWG HTML, Server-sent events.
 */
export function sseFrame(data: string, event?: string): string {
  const name = event ? `event: ${event.replaceAll(/[\r\n]+/g, ' ')}\n` : '';
  return `${name}data: ${data.split(LINE_END).join('\ndata: ')}\n\n`;
}

// Fields are told apart on bytes, so that comments and unknown fields are never decoded.
function valueStart(name: Buffer, bytes: Buffer, start: number, end: number): number | undefined {
  const nameEnd = start + name.length;
  if (nameEnd > end) return undefined;
  for (let i = 0; i < name.length; i += 1) {
    if (bytes[start + i] !== name[i]) return undefined;
  }
  if (nameEnd === end) return end;
  if (bytes[nameEnd] !== COLON) return undefined;
  return nameEnd + 1 < end && bytes[nameEnd + 1] === SPACE ? nameEnd + 2 : nameEnd + 1;
}
