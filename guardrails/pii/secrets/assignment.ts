import type { Report } from '../categories.ts';
import { bitsPerLetter } from './entropy.ts';

const longestName = 40;
const shortest = 8;
const longest = 256;
const names =
  /(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|authorization|(?:api|access|account|auth|encryption|private|secret|signing)[_.-]?key)$/i;
/** What names can end in: spares the pattern at most colons. */
const lastLetters = 'delnstyDELNSTY';
const endsValue: ReadonlySet<string> = new Set([...' \t\r\n"\'`,;<>()[]{}|&\\']);
/** RFC 9110 §11.6.2; those with parameters behind them hold no credential at their beginning. */
const scheme = /(?:bearer|basic|token|api-?key) +/iy;
const placeholder = /^(?:[$%<{*]|your|my[-_]|example|changeme|placeholder|redacted|x{4})/i;

/** The value behind `password=`, `api_key:`, `"secret": "…"` and the like, where it is as mixed as secrets are. */
export function findAssignment(text: string, at: number, report: Report): void {
  const nameEnd = beforeName(text, at);
  if (nameEnd === 0 || !lastLetters.includes(text.charAt(nameEnd - 1))) return;
  const name = text.slice(Math.max(0, nameEnd - longestName), nameEnd);
  if (!names.test(name)) return;
  const given = valueStart(text, at + 1);
  const start = behindScheme(text, given);
  // Without a scheme, the word is one of a sentence.
  if (start === given && /authorization$/i.test(name)) return;
  let end = start;
  while (end < text.length && end - start <= longest && !endsValue.has(text.charAt(end))) end += 1;
  while (end > start && '.:'.includes(text.charAt(end - 1))) end -= 1;
  if (end - start < shortest || end - start > longest) return;
  if (isSecret(text.slice(start, end))) report('SECRET', start, end);
}

/** Where the name ends: before spaces, a closing bracket and a closing quote, escaped or not. */
function beforeName(text: string, at: number): number {
  let end = at;
  for (let spaces = 0; spaces < 2 && text.charAt(end - 1) === ' '; spaces += 1) end -= 1;
  if (end > 1 && text.charAt(end - 1) === ']' && `"'`.includes(text.charAt(end - 2))) end -= 1;
  if (end > 0 && `"'\``.includes(text.charAt(end - 1))) end -= 1;
  return text.charAt(end - 1) === '\\' ? end - 1 : end;
}

/** Where the value begins: behind the rest of an operator, spaces and quotes. */
function valueStart(text: string, from: number): number {
  let start = from;
  for (let marks = 0; marks < 6 && ' =>\t"\'`\\'.includes(text.charAt(start) || 'x'); marks += 1) start += 1;
  return start;
}

function behindScheme(text: string, start: number): number {
  scheme.lastIndex = start;
  return scheme.test(text) ? scheme.lastIndex : start;
}

function isSecret(value: string): boolean {
  if (placeholder.test(value)) return false;
  const letters = /[A-Za-z]/.test(value);
  if (letters && /[\d!@#^*+=/?~]/.test(value)) return bitsPerLetter(value) >= 2.5;
  return letters && value.length >= 20 && /^[A-Za-z]+$/.test(value) && bitsPerLetter(value) >= 3.5;
}
