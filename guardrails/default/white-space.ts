const ranges = [
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
] as const;

/** By UTF-16 unit, 1 for what `\s` matches, which is white space or the end of a line, and 0 for others. */
export const whiteSpace = new Uint8Array(0x10000);
for (const [first, last] of ranges) whiteSpace.fill(1, first, last + 1);
