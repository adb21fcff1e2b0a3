import type { Report } from '../categories.ts';
import { isInside } from '../characters.ts';
import { afterEscape } from './after-escape.ts';

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
  while (end < text.length && isInside(text.charCodeAt(end))) end += 1;
  return end;
}

/** `{"alg"` and what else headers begin with (RFC 7515 §4.1, RFC 7516 §4.1): that alone tells a token from other objects. */
const headers = ['alg', 'typ', 'kid', 'enc', 'jku', 'jwk', 'x5c', 'x5t', 'x5u', 'cty', 'zip'].map((name) =>
  Buffer.from(`{"${name}"`).toString('base64'),
);

/** Where a token begins that goes on to the end of the text, its signature missing, or its claims too. */
export function cutOffJsonWebToken(text: string): number | undefined {
  const start = partStart(text, text.length);
  const before = text.charAt(start - 1) === '.' ? partStart(text, start - 1) : undefined;
  if (before !== undefined && text.startsWith('eyJ', before) && text.startsWith('eyJ', start)) return before;
  if (before !== undefined && 'eyJ'.startsWith(text.slice(start)) && isHeader(text, before)) return before;
  return isHeader(text, start) ? start : undefined;
}

function isHeader(text: string, start: number): boolean {
  return headers.some((beginning) => text.startsWith(beginning, start));
}

function partStart(text: string, from: number): number {
  let start = from;
  while (start > 0 && isInside(text.charCodeAt(start - 1))) start -= 1;
  return afterEscape(text, start);
}
