import { complement, digits, type Ranges, whiteSpace, wordCharacters } from './code-points.ts';
import type { Cursor } from './cursor.ts';

/** What an escape stands for, read behind its backslash. */
export type Escape =
  | { readonly kind: 'point'; readonly code: number }
  | { readonly kind: 'ranges'; readonly ranges: Ranges }
  /** A Unicode property, as RE2 writes it. */
  | { readonly kind: 'property'; readonly re2: string };

const sets: Readonly<Record<string, Ranges>> = {
  d: digits,
  D: complement(digits),
  w: wordCharacters,
  W: complement(wordCharacters),
  s: whiteSpace,
  S: complement(whiteSpace),
};
const controls: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09, f: 0x0c, v: 0x0b, 0: 0x00 };

const hex = /x([0-9A-Fa-f]{2})|[xu]\{([0-9A-Fa-f]{1,6})\}/y;
const unit = /u([0-9A-Fa-f]{4})/y;
const pair = /u([Dd][89ABab][0-9A-Fa-f]{2})\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})/y;
const control = /c([A-Za-z])/y;
const property = /([pP])(?:([A-Z])|\{(\^?)(?:(?:Script|sc|General_Category|gc)=)?([A-Za-z_]{1,40})\})/y;

export function readEscape(cursor: Cursor): Escape {
  const set = sets[cursor.next];
  if (set !== undefined) {
    cursor.take();
    return { kind: 'ranges', ranges: set };
  }
  const code = readCode(cursor);
  if (code !== undefined) return { kind: 'point', code };
  const named = cursor.takeMatch(property);
  if (named !== undefined) {
    const [, letter = '', short, inverted = '', name = short ?? ''] = named;
    return { kind: 'property', re2: `\\${letter}{${inverted}${name}}` };
  }
  if (/^[1-9k]$/.test(cursor.next))
    throw cursor.fault('back-references are not accepted, since they need more than linear time');
  if (cursor.done) throw cursor.fault('it ends with a single backslash');
  if (/^[A-Za-z0-9]$/.test(cursor.next)) throw cursor.fault(`the escape \\${cursor.next} is not known`);
  return { kind: 'point', code: cursor.take().codePointAt(0) ?? 0 };
}

function readCode(cursor: Cursor): number | undefined {
  const surrogates = cursor.takeMatch(pair);
  if (surrogates !== undefined) {
    const [high, low] = [Number.parseInt(surrogates[1] ?? '', 16), Number.parseInt(surrogates[2] ?? '', 16)];
    return (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000;
  }
  const digitsOf = cursor.takeMatch(hex) ?? cursor.takeMatch(unit);
  if (digitsOf !== undefined) {
    const code = Number.parseInt(digitsOf[1] ?? digitsOf[2] ?? '', 16);
    if (code > 0x10ffff) throw cursor.fault('a code point is at most 10ffff');
    return code;
  }
  const letter = cursor.takeMatch(control)?.[1];
  if (letter !== undefined) return letter.charCodeAt(0) % 32;
  const known = controls[cursor.next];
  if (known === undefined || cursor.takeMatch(/0[0-9]/y) !== undefined) return undefined;
  cursor.take();
  return known;
}
