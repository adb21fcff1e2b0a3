import { composedText, inClass, lastWhere } from './composed.ts';

/** A text as it reads, however it is written. */
export interface FoldedText {
  readonly text: string;
  /** Where the character at a place of it stands in the text as written, in UTF-16 units. */
  origin(at: number): number;
  /** Where the character before a place of it ends in the text as written. */
  end(at: number): number;
}

type Range = readonly [first: number, last: number];

const softHyphen = '\u00ad';
/** Besides the soft hyphen, what leaves no mark or only changes another character: joiners, directions, selectors of variants. */
const invisible: readonly Range[] = [
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x180b, 0x180e],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
];
/** The first half of tags, and of more selectors of variants. */
const tag = 0xdb40;
/** Each fullwidth character stands as far behind its ASCII one as all others do. */
const fullwidth: Range = [0xff01, 0xff5e];
const shift = 0xff01 - 0x21;
/** Those that make a text worth folding: Chinese is written with fullwidth commas, colons and brackets. */
const telling: readonly Range[] = [
  [0xff0b, 0xff0b],
  [0xff0d, 0xff19],
  [0xff1d, 0xff1d],
  [0xff20, 0xff3a],
  [0xff3f, 0xff3f],
  [0xff41, 0xff5a],
];
/** Nothing of Latin-1 is among them, so that texts of it are passed over unread. */
const disguised = new RegExp(`[${inClass([...invisible, [tag, tag], ...telling])}]`);

const isInvisible = new Uint8Array(0x10000);
isInvisible[softHyphen.charCodeAt(0)] = 1;
for (const [first, last] of invisible) isInvisible.fill(1, first, last + 1);

// Read and written within one call, so that one will do for all of them.
const units = new Uint16Array(0x2000);

/**
 * The text with ASCII characters in the place of fullwidth ones, without what nobody sees, and composed (`composedText`).
 * Undefined: there is nothing to fold, or fullwidth punctuation alone. For checks that search, beside the text as written: what
 * they find is to be told by its origin.
 * @param phrases whether no-break spaces matter
 */
export function foldedText(text: string, phrases = false): FoldedText | undefined {
  const shown = undisguised(text);
  const composed = composedText(shown?.text ?? text, phrases);
  if (shown === undefined || composed === undefined) return shown ?? composed;
  return {
    text: composed.text,
    origin: (at) => shown.origin(composed.origin(at)),
    end: (at) => shown.end(composed.end(at)),
  };
}

function undisguised(text: string): FoldedText | undefined {
  if (!disguised.test(text) && !text.includes(softHyphen)) return undefined;
  // Where each stretch that stays begins: in the folded text, and in the other.
  const begins: number[] = [0];
  const origins: number[] = [0];
  let [folded, filled, length] = ['', 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isTag = code === tag && isSecondHalf(text.charCodeAt(at + 1));
    if (isTag || isInvisible[code] === 1) {
      if (isTag) at += 1;
      if (begins.at(-1) !== length) begins.push(length);
      origins[begins.length - 1] = at + 1;
      continue;
    }
    if (filled === units.length) {
      folded += textOf(units);
      filled = 0;
    }
    units[filled] = code >= fullwidth[0] && code <= fullwidth[1] ? code - shift : code;
    filled += 1;
    length += 1;
  }
  const origin = (at: number) => {
    const stretch = lastWhere(begins.length, (index) => (begins[index] ?? 0) <= at);
    return (origins[stretch] ?? 0) + at - (begins[stretch] ?? 0);
  };
  return { text: folded + textOf(units.subarray(0, filled)), origin, end: (at) => origin(at - 1) + 1 };
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Spread arguments would be read one by one. */
function textOf(codes: Uint16Array): string {
  return Reflect.apply(String.fromCharCode, String, codes);
}
