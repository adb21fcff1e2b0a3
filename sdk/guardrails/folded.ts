/** A text as it reads, however it is written. */
export interface FoldedText {
  readonly text: string;
  /** Where the character at a place of it stands in the text as written, in UTF-16 units. */
  origin(at: number): number;
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
const disguised = new RegExp(`[${[...invisible, [tag, tag] as const, ...telling].map(inClass).join('')}]`);

const isInvisible = new Uint8Array(0x10000);
isInvisible[softHyphen.charCodeAt(0)] = 1;
for (const [first, last] of invisible) isInvisible.fill(1, first, last + 1);

// Read and written within one call, so that one will do for all of them.
const units = new Uint16Array(0x2000);

/**
 * The text with ASCII characters in the place of fullwidth ones, and without what nobody sees. Undefined: there is nothing to fold, or
 * fullwidth punctuation alone. For checks that search, beside the text as written: what they find is to be told by its origin.
 */
export function foldedText(text: string): FoldedText | undefined {
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
  return {
    text: folded + textOf(units.subarray(0, filled)),
    origin: (at) => {
      const stretch = lastAtOrBefore(begins, at);
      return (origins[stretch] ?? 0) + at - (begins[stretch] ?? 0);
    },
  };
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Spread arguments would be read one by one. */
function textOf(codes: Uint16Array): string {
  return Reflect.apply(String.fromCharCode, String, codes);
}

function inClass([first, last]: Range): string {
  const escaped = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
  return first === last ? escaped(first) : `${escaped(first)}-${escaped(last)}`;
}

/** In an ascending list that begins at 0. */
function lastAtOrBefore(places: readonly number[], at: number): number {
  let [low, high] = [0, places.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((places[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
