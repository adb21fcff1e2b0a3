import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Category, categories } from '../../../guardrails/pii/categories.ts';
import { scan } from '../../../guardrails/pii/scan.ts';
import { inContext, samples } from './samples.ts';

const all = new Set(categories);
const none = new Set<string>();
const valuesIn = (text: string, category: Category) =>
  scan(text, all, none)
    .filter((found) => found.category === category)
    .map(({ start, end }) => text.slice(start, end));

const surroundings: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => `My data: ${value}. And more.`,
  (value) => `(${value})`,
  (value) => `"${value}", 'x'`,
  (value) => `联系${value}，谢谢`,
  (value) => `\u{1F600}${value}\u{1F600}`,
  (value) => `e\u0301 \u200f${value}\u200f`,
  (value) => `line\n${value}\nline`,
];

for (const category of categories) {
  describe(`the scan for ${category}`, () => {
    for (const value of samples[category].found) {
      it(`finds ${JSON.stringify(value)} in any surroundings`, () => {
        for (const around of surroundings) assert.deepEqual(valuesIn(around(value), category), [value], around(value));
      });
    }
    for (const text of samples[category].missed)
      it(`leaves ${JSON.stringify(text)}`, () => assert.deepEqual(valuesIn(text, category), []));
  });
}

describe('the scan of a text around a value', () => {
  for (const [text, category, value] of inContext)
    it(`finds ${category} in ${JSON.stringify(text)}`, () => assert.deepEqual(valuesIn(text, category), [value]));

  it('reads the letters of Corsica in a French number', () => {
    const [head, tail] = ['18505', '12345678'] as const;
    const key = 97 - (Number(`${head}19${tail.slice(0, 6)}`) % 97);
    const number = `${head}2A${tail.slice(0, 6)}${String(key).padStart(2, '0')}`;
    assert.deepEqual(valuesIn(`No. ${number}`, 'FR_NIR'), [number]);
  });
});

describe('findings that overlap', () => {
  it('become one, which covers all and is named after the longest', () => {
    const text = 'password=ann1@example.com';
    assert.deepEqual(scan(text, all, none), [{ category: 'SECRET', start: 9, end: 25 }]);
    const url = 'https://ann:x@example.com/';
    assert.deepEqual(scan(url, all, none), [{ category: 'URL_CREDENTIALS', start: 8, end: 13 }]);
    assert.deepEqual(scan(url, new Set(['EMAIL_ADDRESS'] as const), none), [
      { category: 'EMAIL_ADDRESS', start: 12, end: 25 },
    ]);
  });

  it('never overlap in the result, and stand in order', () => {
    const piece = fc.oneof(
      fc.constantFrom(...categories.flatMap((category) => samples[category].found)),
      fc.constantFrom(' ', '-', '.', '@', ':', '://', '=', 'password=', '1', 'a', '+', '(', ')', '\u00a0', '漢', '\\n'),
      fc.string({ maxLength: 5, unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let last = 0;
        for (const { start, end } of scan(text, all, none)) {
          assert.ok(start >= last && end > start && end <= text.length, JSON.stringify({ text, start, end }));
          last = end;
        }
      }),
    );
  });
});

describe('the scan of half a million characters', () => {
  // Whatever is not linear would take hours for these.
  const patterns = [
    '1',
    '1 ',
    '4111 ',
    '1.',
    'a@',
    ':',
    'a:',
    'a://',
    '-----BEGIN PRIVATE KEY-----',
    'password=',
    'eyJhbGciOiJI.',
    'DE89 3704 ',
    '1(1)',
    '-',
    'a.b-c_',
    '+1 ',
    '"token": "',
    '0x',
    'A1',
  ];
  for (const pattern of patterns) {
    it(`ends for ${JSON.stringify(pattern)} again and again`, () => {
      const text = pattern.repeat(Math.ceil(500_000 / pattern.length));
      const last = scan(text, all, none).at(-1)?.end ?? 0;
      assert.ok(last <= text.length);
    });
  }
});
