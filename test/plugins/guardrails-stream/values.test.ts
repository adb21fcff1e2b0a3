import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { categories } from '../../../guardrails/pii/categories.ts';
import { scan } from '../../../guardrails/pii/scan.ts';
import type { Reading } from '../../../plugins/guardrails/scan/reading.ts';
import type { Looked } from '../../../plugins/guardrails/stream/window-options.ts';
import { inContext, samples } from '../../guardrails/pii/samples.ts';
import { answer, pass, textOf, understood, windows, wireOf } from './windows.ts';

const all = new Set(categories);
const none = new Set<string>();
/** What tells nothing of a value. */
const fewCharacters = 6;

/** Takes out all that is found, as checks of personal data do. */
const redact = ({ fragments }: Reading): Looked => ({
  ...pass(),
  edits: new Map(
    fragments.map(({ path, text, goesOn }) => [
      String(path[0]),
      scan(text, all, none, goesOn).map(({ start, end }) => ({ start, end, with: '[X]' })),
    ]),
  ),
});

function redacted(said: string, tokens: number, overlap: number, chunk: number): string {
  const { source, client } = windows(redact, { tokens, overlap });
  const pieces = Array.from({ length: Math.ceil(said.length / chunk) }, (_, at) =>
    said.slice(at * chunk, (at + 1) * chunk),
  );
  source.push(wireOf(answer(...pieces)));
  source.end();
  return textOf(understood(client.bytes));
}

const letters = (count: number) =>
  Array.from({ length: count }, (_, at) => 'aB3dE5gH1jK7mN9pQ2sT4vW6yZ_'.charAt((at * at + at) % 27)).join('');
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = base64({ sub: '1234567890', name: 'Jane Doe', roles: letters(900) });
const body = `MII${letters(61).replaceAll('_', '+')}\n`.repeat(25);

/** Longer than any of the windows below, of those that have no longest. */
const long: readonly string[] = [
  `${base64({ alg: 'RS256', typ: 'JWT' })}.${claims}.${letters(342)}`,
  `${base64({ alg: 'none' })}.${claims}.`,
  `${base64({ typ: 'JWT', x5c: [letters(2000)] })}.${claims}.${letters(342)}`,
  `sk-proj-${letters(160)}`,
  `github_pat_${letters(82)}`,
  `ghp_${letters(250).replaceAll('_', '')}`,
  `xoxb-1234567890-${letters(200)}`,
  `first.last@${'a-part-of-it.'.repeat(15)}example.com`,
  'RU0204452560040702810412345678901',
];

const surroundings: readonly ((value: string) => string)[] = [
  (value) => `My data: ${value} and so on, and on, and no more.`,
  (value) => `It is "${value}", and so on, and on, and no more.`,
  (value) => `联系方式是一个很长很长很长很长很长很长很长很长很长的句子${value}，谢谢你们大家`,
  (value) => `{"one":"two","three":[4],"key":"${value}","five":"six"}`,
  (value) => `line\n${value}\nand so on, and on, and on, and no more of it`,
];

function neverSays(value: string, said: string, least: (value: string) => number): void {
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 140 }),
      fc.nat(140),
      fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 12, max: 400 })),
      (tokens, wanted, chunk) => {
        const overlap = Math.max(wanted, Math.ceil(least(value) / 4));
        const got = redacted(said, Math.max(tokens, overlap + 1), overlap, chunk);
        for (let from = 0; from + fewCharacters <= value.length; from += 1)
          assert.ok(!got.includes(value.slice(from, from + fewCharacters)), got);
      },
    ),
    {
      numRuns: 60,
      examples: [
        [8, 0, 1],
        [8, 0, 400],
        [8, 7, 1],
        [8, 7, 3],
        [8, 28, 5],
        [128, 32, 4],
      ],
    },
  );
}

/** A value with spaces is kept together by the overlap alone. */
const spaces = (value: string) => (/\s/.test(value) ? value.length + 8 : 0);

describe('the windows of a stream, from the smallest on', () => {
  for (const category of categories) {
    for (const value of samples[category].found) {
      if (value.startsWith('-----')) continue;
      it(`say nothing of ${JSON.stringify(value)}`, () => {
        for (const around of surroundings) neverSays(value, around(value), spaces);
      });
    }
  }
  for (const [text, , value] of inContext) {
    if (value.startsWith('-----')) continue;
    it(`say nothing of what is found in ${JSON.stringify(text)}`, () => {
      for (const around of surroundings.slice(0, 2)) neverSays(value, around(text), spaces);
    });
  }
  for (const value of long) {
    it(`say nothing of ${value.length} characters that begin with ${value.slice(0, 20)}`, () => {
      for (const around of surroundings) neverSays(value, around(value), spaces);
    });
  }
  it('say nothing of long passwords in URLs', () => {
    for (const scheme of ['https://', 'https://example.com/?a=b&url=postgres://'])
      for (const around of surroundings)
        neverSays(letters(500), around(`${scheme}app:${letters(500)}@db.example:5432/main`), spaces);
  });
  it('say nothing of long values that are assigned', () => {
    for (const name of ['password=', '"api_key": "', 'AWS_SECRET_ACCESS_KEY: '])
      neverSays(letters(250), `My data: ${name}${letters(250)}" and so on, and on.`, spaces);
  });
  for (const head of ['\n', '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n']) {
    it(`say nothing of private keys behind ${JSON.stringify(head)}`, () => {
      const pem = `-----BEGIN RSA PRIVATE KEY-----${head}${body}-----END RSA PRIVATE KEY-----`;
      for (const said of [`My key: ${pem} and so on.`, JSON.stringify({ key: pem })]) {
        neverSays(body.trimEnd(), said, () => 0);
        assert.match(redacted(said, 8, 7, 3), /\[X\]/);
      }
    });
  }
});
