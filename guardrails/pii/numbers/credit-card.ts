import { passesLuhn } from './checksums.ts';

/** Prefixes and lengths of the brands; prefixes are compared with as many digits as they have. */
const brands: readonly { readonly from: number; readonly to: number; readonly lengths: readonly number[] }[] = [
  { from: 4, to: 4, lengths: [13, 16, 19] },
  { from: 51, to: 55, lengths: [16] },
  { from: 2221, to: 2720, lengths: [16] },
  { from: 34, to: 34, lengths: [15] },
  { from: 37, to: 37, lengths: [15] },
  { from: 300, to: 305, lengths: [14] },
  { from: 3095, to: 3095, lengths: [14] },
  { from: 36, to: 36, lengths: [14, 15, 16, 17, 18, 19] },
  { from: 38, to: 39, lengths: [14, 16, 17, 18, 19] },
  { from: 6011, to: 6011, lengths: [16, 17, 18, 19] },
  { from: 644, to: 649, lengths: [16, 17, 18, 19] },
  { from: 65, to: 65, lengths: [16, 17, 18, 19] },
  { from: 62, to: 62, lengths: [16, 17, 18, 19] },
  { from: 3528, to: 3589, lengths: [16, 17, 18, 19] },
  { from: 2200, to: 2204, lengths: [16, 17, 18, 19] },
  { from: 5018, to: 5018, lengths: [16, 17, 18, 19] },
  { from: 5020, to: 5020, lengths: [16, 17, 18, 19] },
  { from: 5038, to: 5038, lengths: [16, 17, 18, 19] },
  { from: 5893, to: 5893, lengths: [16, 17, 18, 19] },
  { from: 6304, to: 6304, lengths: [16, 17, 18, 19] },
  { from: 6759, to: 6763, lengths: [16, 17, 18, 19] },
  { from: 60, to: 60, lengths: [16] },
  { from: 81, to: 82, lengths: [16] },
];

/** A number that a brand issues, with the check digit that it must have. */
export function isCardNumber(digits: string): boolean {
  const issued = brands.some(({ from, to, lengths }) => {
    const prefix = Number(digits.slice(0, String(from).length));
    return prefix >= from && prefix <= to && lengths.includes(digits.length);
  });
  return issued && passesLuhn(digits);
}
