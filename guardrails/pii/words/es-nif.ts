import type { Report } from '../categories.ts';
import { isWord } from '../characters.ts';

const letters = 'TRWAGMYFPDXBNJZSQVHLCKE';
const form = /^[0-9XYZ][0-9]{7}[A-Z]$/;

/** DNI and NIE: eight digits, or X, Y or Z and seven, and a letter that follows from them. */
export function isNif(word: string): boolean {
  if (!form.test(word)) return false;
  const digits = word.slice(0, 8).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)));
  return letters.charAt(Number(digits) % 23) === word.charAt(8);
}

/** The same with a dash before the letter. */
export function findNifLetter(text: string, start: number, end: number, report: Report): void {
  if (end - start !== 8 || text.charAt(end) !== '-' || isWord(text.charCodeAt(end + 2))) return;
  if (isNif((text.slice(start, end) + text.charAt(end + 1)).toUpperCase())) report('ES_NIF', start, end + 2);
}
