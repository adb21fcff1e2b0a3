import type { Report } from '../categories.ts';
import { isWord } from '../characters.ts';
import type { Groups } from '../numbers/groups.ts';

/** Letters that are never used, and pairs that are kept for other purposes. */
const form = /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][0-9]{6}[A-D]$/;

/** A national insurance number. It has no checksum; its form is narrow enough. */
export function isNino(word: string): boolean {
  return form.test(word);
}

/** The same in groups: `QQ 12 34 56 C`. */
export function findNino({ text, starts, ends, separators }: Groups, report: Report): void {
  const [first = 0] = starts;
  const end = ends.at(-1) ?? 0;
  const pairs = starts.length === 3 && separators === '  ' && end - first === 8;
  if (!pairs && !(starts.length === 1 && end - first === 6)) return;
  if (text.charAt(first - 1) !== ' ' || text.charAt(end) !== ' ') return;
  if (isWord(text.charCodeAt(first - 4)) || isWord(text.charCodeAt(end + 2))) return;
  const word = text
    .slice(first - 3, end + 2)
    .replaceAll(' ', '')
    .toUpperCase();
  if (isNino(word)) report('UK_NINO', first - 3, end + 2);
}
