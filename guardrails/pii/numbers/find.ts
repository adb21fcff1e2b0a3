import type { Report } from '../categories.ts';
import { digitsEnd, isWord, wordEnd } from '../characters.ts';
import { findInWord } from '../words/mixed.ts';
import { findInChain } from './chain.ts';

/**
 * What the digit at a place belongs to: a word with letters in it, or groups of digits.
 * @returns up to where it has been read
 */
export function findNumbers(text: string, at: number, report: Report): number {
  let start = at;
  while (isWord(text.charCodeAt(start - 1))) start -= 1;
  const end = wordEnd(text, at);
  return start < at || digitsEnd(text, at) < end ? findInWord(text, start, end, report) : findInChain(text, at, report);
}
