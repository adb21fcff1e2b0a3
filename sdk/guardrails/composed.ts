import type { FoldedText } from './folded.ts';

type Range = readonly [first: number, last: number];

/** What belongs to the letter before it: accents, voicing marks of kana, vowels and final consonants of Hangul. */
const marks: readonly Range[] = [
  [0x0300, 0x036f],
  [0x1161, 0x1175],
  [0x11a8, 0x11c2],
  [0x3099, 0x309a],
];
/** Of other widths, or without a break. */
const spaces: readonly Range[] = [
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
];
const noBreak = '\u00a0';

const [ofMarks, ofSpaces] = [inClass(marks), inClass(spaces)];
/** Nothing of Latin-1 is among them, so that texts of it are passed over unread. */
const telling = new RegExp(`[${ofMarks}${ofSpaces}]`);
/** A letter with its marks, or a space. As many marks as Unicode's stream-safe texts have: more take long to put in order. */
const pieces = new RegExp(`[^${ofMarks}][${ofMarks}]{1,30}|[${ofSpaces}${noBreak}]`, 'g');

/**
 * The text with letters and their accents in one character where there is one (NFC), and plain spaces between words. Undefined: it
 * is that already. For checks that search, as `foldedText`.
 * @param phrases whether no-break spaces matter: a text of ASCII has to be looked through for them
 */
export function composedText(text: string, phrases = false): FoldedText | undefined {
  if (!telling.test(text) && !(phrases && text.includes(noBreak))) return undefined;
  // What was put in the place of what: where it stands in the composed text, and where both end.
  const places: { readonly at: number; readonly end: number; readonly from: number; readonly until: number }[] = [];
  let [composed, last] = ['', 0];
  for (const { 0: written, index } of text.matchAll(pieces)) {
    const plain = written.length === 1 ? ' ' : written.normalize('NFC');
    if (plain === written) continue;
    composed += text.slice(last, index);
    const at = composed.length;
    composed += plain;
    last = index + written.length;
    places.push({ at, end: composed.length, from: index, until: last });
  }
  if (places.length === 0) return undefined;
  composed += text.slice(last);
  const before = (at: number) => places[lastWhere(places.length, (index) => (places[index]?.at ?? 0) <= at)];
  return {
    text: composed,
    origin: (at) => {
      const place = before(at);
      if (place === undefined) return at;
      return at < place.end ? place.from : place.until + at - place.end;
    },
    end: (at) => {
      const place = before(at - 1);
      if (place === undefined) return at;
      return at <= place.end ? place.until : place.until + at - place.end;
    },
  };
}

/** A word as `composedText` has it; one of spaces alone is looked for as it is. */
export function composedWord(word: string): string {
  return word.trim() === '' ? word : (composedText(word, true)?.text ?? word);
}

export function inClass(ranges: readonly Range[]): string {
  const escaped = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
  return ranges
    .map(([first, last]) => (first === last ? escaped(first) : `${escaped(first)}-${escaped(last)}`))
    .join('');
}

/** The last index of an ascending list for which it holds; -1: for none. */
export function lastWhere(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [-1, length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
