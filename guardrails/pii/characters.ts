/** What a UTF-16 unit is to the scan. Beyond ASCII, everything is `other`: no finding goes on through it. */
export const kind = { inside: 0, other: 1, digit: 2, at: 3, colon: 4, equals: 5 } as const;

const kinds = new Uint8Array(128).fill(kind.other);
for (let code = 65; code <= 90; code += 1) kinds[code] = kinds[code + 32] = kind.inside;
for (let code = 48; code <= 57; code += 1) kinds[code] = kind.digit;
kinds[45] = kinds[95] = kind.inside;
kinds[64] = kind.at;
kinds[58] = kind.colon;
kinds[61] = kind.equals;

/** Letters, `_` and `-` are the inside of tokens. */
export function kindOf(code: number): number {
  return code < 128 ? (kinds[code] ?? kind.other) : kind.other;
}

/** Whether a token goes on. */
export function isInside(code: number): boolean {
  const what = kindOf(code);
  return what === kind.inside || what === kind.digit;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Letters and digits of ASCII. */
export function isWord(code: number): boolean {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || isDigit(code);
}

/** Where the run of ASCII letters and digits ends that goes on at `from`. */
export function wordEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isWord(text.charCodeAt(end))) end += 1;
  return end;
}

export function digitsEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

/** Whether one of the words stands in the 40 units before a place. */
export function isNamedBefore(text: string, start: number, words: RegExp): boolean {
  return words.test(text.slice(Math.max(0, start - 40), start));
}
