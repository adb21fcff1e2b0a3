import { asString, parseJson } from 'portcullis/sdk';

/** Formats name the model ahead of what it has said. */
const headBytes = 2048;
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
const member = '"model"';

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
      if (depth === 1 && after - at === member.length && bytes.toString('latin1', at, after) === member) {
        const value = /^\s*:\s*(?=")/.exec(bytes.toString('latin1', after, after + 16))?.[0].length;
        // As a value, it is followed by no colon.
        if (value !== undefined) return textAt(bytes, after + value);
      }
      at = after - 1;
    }
  }
  return undefined;
}

function textAt(bytes: Buffer, at: number): string | undefined {
  return asString(parseJson(bytes.toString('utf8', at, textEnd(bytes, at)))) || undefined;
}

/** Where the text that begins at a quote is over. */
function textEnd(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === quote) return at + 1;
    if (bytes[at] === backslash) at += 1;
  }
  return bytes.length;
}
