import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryAfterMs } from '../../../core/upstream/retry-after.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('how long a provider asks to wait', () => {
  const table: readonly [string, Record<string, string | string[]>, number | undefined][] = [
    ['nothing', {}, undefined],
    ['milliseconds', { 'retry-after-ms': '1500' }, 1500],
    ['milliseconds by the other name', { 'x-ms-retry-after-ms': '20' }, 20],
    ['milliseconds before seconds', { 'retry-after': '9', 'retry-after-ms': '1' }, 1],
    ['seconds', { 'retry-after': '2' }, 2000],
    ['a part of a second', { 'retry-after': '0.5' }, 500],
    ['no wait', { 'retry-after': '0' }, 0],
    ['seconds with white space', { 'retry-after': ' 3 ' }, 3000],
    ['a date in the preferred form', { 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
    ['a date of RFC 850', { 'retry-after': 'Thursday, 01-Jan-26 00:00:10 GMT' }, 10_000],
    ['a date in the form of asctime', { 'retry-after': 'Thu Jan  1 00:00:10 2026' }, 10_000],
    ['a date that has passed', { 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, 0],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['a word', { 'retry-after': 'soon' }, undefined],
    ['an exponent', { 'retry-after-ms': '1e9' }, undefined],
    ['an empty value', { 'retry-after': '' }, undefined],
    ['two values', { 'retry-after': ['1', '2'] }, undefined],
    ['nonsense beside seconds', { 'retry-after-ms': 'x', 'retry-after': '1' }, 1000],
  ];
  for (const [what, headers, expected] of table) {
    it(`is ${expected} for ${what}`, () => assert.equal(retryAfterMs(headers, now), expected));
  }
});
