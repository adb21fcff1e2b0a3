/** Pairs of first and last code point, in order, apart from each other. */
export type Ranges = readonly (readonly [number, number])[];

const last = 0x10ffff;

export const everything: Ranges = [[0, last]];
export const digits: Ranges = [[0x30, 0x39]];
export const wordCharacters: Ranges = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** What ECMAScript calls white space and line ends. */
export const whiteSpace: Ranges = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
export const lineEnds: Ranges = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

export function union(...sets: readonly Ranges[]): Ranges {
  const all = sets.flat().sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [from, to] of all) {
    const previous = merged.at(-1);
    if (previous !== undefined && from <= previous[1] + 1) previous[1] = Math.max(previous[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function complement(set: Ranges): Ranges {
  const rest: [number, number][] = [];
  let from = 0;
  for (const [start, end] of set) {
    if (start > from) rest.push([from, start - 1]);
    from = end + 1;
  }
  if (from <= last) rest.push([from, last]);
  return rest;
}

export function disjoint(a: Ranges, b: Ranges): boolean {
  return !a.some(([from, to]) => b.some(([start, end]) => from <= end && start <= to));
}

export function within(inner: Ranges, outer: Ranges): boolean {
  return inner.every(([from, to]) => outer.some(([start, end]) => start <= from && to <= end));
}

export function isAscii(set: Ranges): boolean {
  return set.every(([, to]) => to < 0x80);
}

/** The set with both cases of its letters, for sets in ASCII; two signs beyond it fold to `k` and `s`. */
export function foldAscii(set: Ranges): Ranges {
  const other: [number, number][] = [];
  for (const [from, to] of set) {
    const upper: readonly [number, number] = [Math.max(from, 0x41), Math.min(to, 0x5a)];
    const lower: readonly [number, number] = [Math.max(from, 0x61), Math.min(to, 0x7a)];
    if (upper[0] <= upper[1]) other.push([upper[0] + 0x20, upper[1] + 0x20]);
    if (lower[0] <= lower[1]) other.push([lower[0] - 0x20, lower[1] - 0x20]);
  }
  const folded = union(set, other);
  const has = (letter: number) => !disjoint(folded, [[letter, letter]]);
  return union(folded, has(0x6b) ? [[0x212a, 0x212a]] : [], has(0x73) ? [[0x17f, 0x17f]] : []);
}
