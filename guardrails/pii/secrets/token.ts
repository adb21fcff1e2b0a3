import type { Report } from '../categories.ts';
import { afterEscape } from './after-escape.ts';
import { findAfterLead } from './after-lead.ts';
import { issuedKeys, issuedPrefixes } from './issued-keys.ts';
import { findJsonWebToken } from './json-web-token.ts';
import type { FindPem } from './pem.ts';

/** `-----BEGIN` is the shortest that means anything. */
export const shortestToken = 10;

/** What secrets without a digit begin with: one with a digit is found by that. */
export const tokenBeginnings: readonly string[] = ['-----BEGIN', 'eyJ', ...issuedPrefixes];

/** Looks at a run of letters, digits, `_` and `-` for what secrets begin with. */
export function findToken(text: string, from: number, end: number, pem: FindPem, report: Report): void {
  const start = afterEscape(text, from);
  const first = text.charAt(start);
  if (first === '-') {
    const found = pem(start, end);
    if (found !== undefined) report('SECRET', start, found);
    return;
  }
  if (first === 'e' && findJsonWebToken(text, start, end, report)) return;
  if (findAfterLead(text, start, end, report)) return;
  for (const { prefix, body } of issuedKeys.get(first) ?? []) {
    if (text.startsWith(prefix, start) && body.test(text.slice(start + prefix.length, end))) {
      report('SECRET', start, end);
      return;
    }
  }
}
