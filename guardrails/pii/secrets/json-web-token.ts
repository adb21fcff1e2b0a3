import type { Report } from '../categories.ts';
import { kind, kindOf } from '../characters.ts';

/**
 * A signed token in its compact form (RFC 7515 §3.1): header and claims are JSON objects, so both begin with `eyJ`.
 * @param end where its first part ends
 */
export function findJsonWebToken(text: string, start: number, end: number, report: Report): boolean {
  if (!text.startsWith('eyJ', start) || !text.startsWith('.eyJ', end)) return false;
  const claimsEnd = partEnd(text, end + 1);
  if (text.charAt(claimsEnd) !== '.') return false;
  report('SECRET', start, partEnd(text, claimsEnd + 1));
  return true;
}

function partEnd(text: string, from: number): number {
  let end = from;
  for (; end < text.length; end += 1) {
    const what = kindOf(text.charCodeAt(end));
    if (what !== kind.inside && what !== kind.digit) break;
  }
  return end;
}
