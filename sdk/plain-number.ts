/** The number that a text gives in decimal digits alone, such as `-2.5`; `0x10`, `1e3`, `+1` and ` 1` are none: they are seldom meant. */
export function plainNumber(text: string): number | undefined {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
