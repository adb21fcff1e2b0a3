import { digitsEnd, isDigit, isWord } from '../characters.ts';

/** Groups of digits with one separator between each two: `+1 (555) 010-9999` has four. */
export interface Groups {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Between the groups: ` `, `-`, `.`, `/`, or `(` where a bracket is part of it. */
  readonly separators: string;
}

/** The chain of groups that begins with the digit at a place. */
export function groupsFrom(text: string, from: number): Groups {
  const starts = [from];
  const ends = [digitsEnd(text, from)];
  const separators: string[] = [];
  for (;;) {
    const end = ends[ends.length - 1] ?? from;
    const separator = separatorAt(text, end);
    if (separator === undefined) break;
    const start = end + separator.length;
    const nextEnd = digitsEnd(text, start);
    if (nextEnd === start || isWord(text.charCodeAt(nextEnd))) break;
    separators.push(separator.kind);
    starts.push(start);
    ends.push(nextEnd);
  }
  return { text, starts, ends, separators: separators.join('') };
}

/** Whether another group may follow the one that ends here. */
export function goesOn(text: string, end: number): boolean {
  return separatorAt(text, end) !== undefined;
}

/** The digits of groups, without what stands between them. */
export function digitsOf({ text, starts, ends }: Groups, first: number, last: number): string {
  let digits = '';
  for (let group = first; group <= last; group += 1) digits += text.slice(starts[group], ends[group]);
  return digits;
}

interface Separator {
  readonly kind: string;
  readonly length: 1 | 2;
}

const brackets: Readonly<Record<string, Separator>> = {
  ')': { kind: '(', length: 1 },
  '(': { kind: '(', length: 1 },
  ') ': { kind: '(', length: 2 },
  ')-': { kind: '(', length: 2 },
  ' (': { kind: '(', length: 2 },
  '-(': { kind: '(', length: 2 },
};

function separatorAt(text: string, at: number): Separator | undefined {
  const single = singles[text.charCodeAt(at)];
  if (single !== undefined && isDigit(text.charCodeAt(at + 1))) return single;
  const code = text.charCodeAt(at);
  if (code !== 40 && code !== 41 && text.charCodeAt(at + 1) !== 40) return undefined;
  return brackets[text.slice(at, at + 2)] ?? brackets[text.charAt(at)];
}

/** Also the spaces and dashes that do not break a line. */
const singles: Readonly<Record<number, Separator>> = Object.fromEntries(
  Object.entries({ ' ': ' \u00a0\u2007\u2009\u202f', '-': '-\u2010\u2011\u2012\u2013', '.': '.', '/': '/' }).flatMap(
    ([kind, marks]) => Array.from(marks, (mark) => [mark.charCodeAt(0), { kind, length: 1 as const }] as const),
  ),
);
