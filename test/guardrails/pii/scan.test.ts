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

describe('the scan of a text that goes on', () => {
  const open = (text: string) => scan(text, all, none, true).map(({ start, end }) => text.slice(start, end));
  const header = Buffer.from('{"alg":"RS256","kid":"2026-01-01-signing"}').toString('base64url');

  for (const value of [
    header,
    `${header}.`,
    `${header}.ey`,
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0',
    'ghp_16C7e42F292c6912E7710c838347A',
    'AIzaSy1_-Sy1_-Sy1_-Sy1_-Sy1_-Sy1_-',
    'first.last.and.more@a-part-of-a-doma',
    '2001:0db8:0000:0000:0000:',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7k',
    '0xde0B295669a9FD93d5F28D9Ec85E40f4',
  ]) {
    it(`finds ${JSON.stringify(value)} at its end`, () => {
      assert.deepEqual(open(`See ${value}`), [value]);
      assert.deepEqual(open(`See ${value}, and more`), [], 'what goes on behind it was not cut off');
      assert.deepEqual(valuesIn(`See ${value}`, 'SECRET'), [], 'nor in a text that is whole');
    });
  }

  it('finds a password in a URL, and no port', () => {
    const secret = 'app:a-password-that-is-long-and-has-no-end';
    assert.deepEqual(open(`postgres://${secret}`), [secret]);
    assert.deepEqual(open('https://a-host-of-a-name-that-is-rather-long.example:8443'), []);
  });

  for (const text of [
    'eyJhbGciOiJIUzI1NiJ9',
    Buffer.from('{"page":1,"of":"a list that is longer than that"}').toString('base64url'),
    'sk-something-long-hyphenated-css-class',
    'A sentence, and then a-very-long-word-with-hyphens-in-it',
    'd41d8cd98f00b204e9800998ecf8427e',
    'aa:bb:cc:dd:ee:ff:00:11:22:33:44:55:66:77',
    'x'.repeat(1000),
  ])
    it(`leaves ${JSON.stringify(text.slice(0, 60))}`, () => assert.deepEqual(open(text), []));
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
      for (const goesOn of [false, true]) {
        const last = scan(text, all, none, goesOn).at(-1)?.end ?? 0;
        assert.ok(last <= text.length);
      }
    });
  }
});
