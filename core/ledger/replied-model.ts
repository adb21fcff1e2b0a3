import { asString, parseJson } from 'portcullis/sdk';

/** Formats name the model ahead of what it has said. */
const headBytes = 2048;
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
const [colon, space, tab, lineFeed, carriageReturn] = [0x3a, 0x20, 0x09, 0x0a, 0x0d];
const member = Buffer.from('"model"');

/** The model that a reply names in a member of its own near its start, found without parsing the reply. */
export function modelNamedIn(bytes: Buffer): string | undefined {
  const end = Math.min(bytes.length, headBytes);
  let depth = 0;
  for (let at = 0; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else if (byte === quote) {
      const after = textEnd(bytes, at);
      if (depth === 1 && isEqual(bytes, at, after, member)) {
        const value = valueBehind(bytes, after);
        if (bytes[value] === quote) return textAt(bytes, value);
      }
      at = after - 1;
    }
  }
  return undefined;
}

/** Where the value of a name begins; -1: what stands there is a value itself, for no colon follows it. */
function valueBehind(bytes: Buffer, after: number): number {
  const at = behindSpace(bytes, after);
  return bytes[at] === colon ? behindSpace(bytes, at + 1) : -1;
}

function behindSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === space || bytes[at] === tab || bytes[at] === lineFeed || bytes[at] === carriageReturn) at += 1;
  return at;
}

let lastText: { readonly bytes: Buffer; readonly text: string | undefined } | undefined;

/** Replies name the same few models: the same text is found in maps without being hashed again. */
function textAt(bytes: Buffer, at: number): string | undefined {
  const end = textEnd(bytes, at);
  if (lastText !== undefined && isEqual(bytes, at, end, lastText.bytes)) return lastText.text;
  const text = asString(parseJson(bytes.toString('utf8', at, end))) || undefined;
  if (end - at <= headBytes) lastText = { bytes: Buffer.from(bytes.subarray(at, end)), text };
  return text;
}

function isEqual(bytes: Buffer, start: number, end: number, wanted: Buffer): boolean {
  if (end - start !== wanted.length) return false;
  for (let index = 0; index < wanted.length; index += 1) if (bytes[start + index] !== wanted[index]) return false;
  return true;
}

/** Where the text that begins at a quote is over. */
function textEnd(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === quote) return at + 1;
    if (bytes[at] === backslash) at += 1;
  }
  return bytes.length;
}
