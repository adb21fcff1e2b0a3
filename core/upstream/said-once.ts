import { isUtf8 } from 'node:buffer';
import type { Json, JsonObject } from 'portcullis/sdk';

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const nearBytes = 32;
/** Of values in each other: what is deeper than any client writes is not counted. */
const deepest = 500;

/**
 * Whether all that a JSON text says is in what it was parsed to: it names no member of an object twice, of which a parser keeps
 * one, and its bytes can be read in one way only. Takes less time than to write the value anew. False also where it is nested
 * too deeply to tell.
 */
export function saidOnce(text: Uint8Array, parsed: Json): boolean {
  return isUtf8(text) && namesIn(text) === membersOf(parsed);
}

/** How many strings of a valid JSON text are names: a colon follows those. */
function namesIn(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let names = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== quote) continue;
    at = stringEnd(text, at + 1) + 1;
    while (isSpace(text[at])) at += 1;
    if (text[at] === colon) names += 1;
    else at -= 1;
  }
  return names;
}

/** Where a string ends whose first byte is there. Names are short: what is longer is searched by the machine's own means. */
function stringEnd(text: Buffer, start: number): number {
  const near = Math.min(start + nearBytes, text.length);
  let at = start;
  while (at < near && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  if (at < near || at >= text.length) return at;
  for (let end = text.indexOf(quote, at); end !== -1; end = text.indexOf(quote, end + 1)) {
    let escapes = end;
    while (escapes > at && text[escapes - 1] === backslash) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** What is left of the names when each is there once; NaN where it is too deep. */
function membersOf(value: Json, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > deepest) return Number.NaN;
  let members = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) members += membersOf(value[index] as Json, depth + 1);
    return members;
  }
  const object = value as JsonObject;
  for (const name in object) members += 1 + membersOf(object[name] as Json, depth + 1);
  return members;
}
