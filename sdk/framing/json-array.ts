import { type Frame, type Framer, FramingError, refuseOver } from './frame.ts';
import { asBuffer, createHeldBytes } from './held-bytes.ts';

const code = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA] = [code('"'), code('\\'), code(',')];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [code('['), code(']'), code('{'), code('}')];

const WHITESPACE = byteSet(' \t\r\n');
const LITERAL_START = byteSet('-0123456789tfn');
const LITERAL = byteSet('-+.0123456789abcdefghijklmnopqrstuvwxyzE');

// What the next byte outside an element may be, and how a refusal says it.
const EXPECTED = {
  start: 'an array or an object',
  first: 'an element or the end of the array',
  next: 'an element after the comma',
  separator: 'a comma or the end of the array',
  end: 'nothing after the end',
} as const;
type Expected = keyof typeof EXPECTED;

export function jsonArrayFramer(maxFrameBytes: number): Framer {
  const held = createHeldBytes(maxFrameBytes);
  const scanner = createElementScanner();
  let expected: Expected = 'start';
  let isLone = false;
  let loneObject: string | undefined;

  const isElementStart = (byte: number): boolean => {
    if (expected === 'start') return byte === OPEN_OBJECT;
    if (expected !== 'first' && expected !== 'next') return false;
    return byte === OPEN_OBJECT || byte === OPEN_ARRAY || byte === QUOTE || LITERAL_START[byte] === 1;
  };
  const step = (byte: number): Expected => {
    if (expected === 'start' && byte === OPEN_ARRAY) return 'first';
    if (expected === 'separator' && byte === COMMA) return 'next';
    if ((expected === 'first' || expected === 'separator') && byte === CLOSE_ARRAY) return 'end';
    throw new FramingError('json-array', `The json-array stream is malformed: expected ${EXPECTED[expected]}.`);
  };
  const textOf = (bytes: Buffer, start: number, end: number): string => {
    if (held.length === 0) return bytes.toString('utf8', start, end);
    held.append(bytes, start, end);
    return held.take().toString('utf8');
  };

  return {
    push(chunk) {
      const bytes = asBuffer(chunk);
      const frames: Frame[] = [];
      let at = 0;
      while (at < bytes.length) {
        const byte = bytes[at] ?? 0;
        if (!scanner.isInside() && isElementStart(byte)) {
          isLone = expected === 'start';
          scanner.enter(byte);
        }
        if (!scanner.isInside()) {
          if (WHITESPACE[byte] !== 1) expected = step(byte);
          at += 1;
          continue;
        }
        const stop = scanner.scan(bytes, at);
        refuseOver('json-array', maxFrameBytes, held.length + stop - at);
        if (scanner.isInside()) {
          held.append(bytes, at, stop);
          return frames;
        }
        const data = textOf(bytes, at, stop);
        if (isLone) loneObject = data;
        else frames.push({ data });
        expected = isLone ? 'end' : 'separator';
        at = stop;
      }
      return frames;
    },
    end() {
      if (expected !== 'end') throw new FramingError('json-array', 'The json-array stream is truncated.');
      return loneObject === undefined ? [] : [{ data: loneObject }];
    },
  };
}

interface ElementScanner {
  isInside(): boolean;
  /** Begins an element at its first byte, which `scan` then sees too. */
  enter(first: number): void;
  /** Where the element ends in `bytes`, or their length with `isInside` still true. */
  scan(bytes: Buffer, from: number): number;
}

function createElementScanner(): ElementScanner {
  let mode: 'outside' | 'brackets' | 'literal' = 'outside';
  let depth = 0;
  let inString = false;
  let isEscaped = false;

  const scanLiteral = (bytes: Buffer, from: number): number => {
    for (let i = from; i < bytes.length; i += 1) {
      if (LITERAL[bytes[i] ?? 0] === 1) continue;
      mode = 'outside';
      return i;
    }
    return bytes.length;
  };
  const scanBrackets = (bytes: Buffer, from: number): number => {
    for (let i = from; i < bytes.length; i += 1) {
      const byte = bytes[i];
      if (isEscaped) isEscaped = false;
      else if (inString && byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) inString = !inString;
      else if (inString) continue;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
      else continue;
      if (depth > 0 || inString) continue;
      mode = 'outside';
      return i + 1;
    }
    return bytes.length;
  };

  return {
    isInside: () => mode !== 'outside',
    enter(first) {
      mode = LITERAL_START[first] === 1 ? 'literal' : 'brackets';
    },
    scan: (bytes, from) => (mode === 'literal' ? scanLiteral(bytes, from) : scanBrackets(bytes, from)),
  };
}

function byteSet(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const character of characters) set[code(character)] = 1;
  return set;
}
