/** Whether a UTF-16 unit is what `\s` matches: white space or the end of a line. */
export function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return unit === 0xa0 || (unit >= 0x1680 && isRareSpace(unit));
}

function isRareSpace(unit: number): boolean {
  if (unit >= 0x2000 && unit <= 0x200a) return true;
  return [0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff].includes(unit);
}
