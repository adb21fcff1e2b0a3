import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldedText } from 'portcullis/sdk';
import { checkInput, editedTexts, runCheck, testCheck } from 'portcullis/sdk/testing';
import { categories } from '../../../guardrails/pii/categories.ts';
import detect from '../../../guardrails/pii/detect.ts';
import redact from '../../../guardrails/pii/redact.ts';
import { samples } from './samples.ts';

const text = 'Write to ann@example.com or 4111 1111 1111 1111.';
const entities = [
  { category: 'EMAIL_ADDRESS', textIndex: 0, start: 9, end: 24 },
  { category: 'CREDIT_CARD', textIndex: 0, start: 28, end: 47 },
];
const splitCard = [
  { text: 'Pay with 4111 1111 1', message: 0 },
  { text: '111 1111, please.', message: 0, adjoins: true },
];
const counts = { EMAIL_ADDRESS: 1, CREDIT_CARD: 1 };

testCheck(detect, {
  pass: [
    { text: 'Nothing personal.' },
    { text, config: { categories: ['IBAN'] } },
    { text, config: { allow: ['ann@example.com', '4111 1111 1111 1111'] } },
    { text, config: { not: true }, data: { entities, counts } },
    {
      text,
      config: { redact: true },
      data: { entities, counts },
      why: 'Redacted: EMAIL_ADDRESS, CREDIT_CARD.',
      edited: ['Write to [EMAIL_ADDRESS] or [CREDIT_CARD].'],
    },
    { text, config: { redact: true, replacement: '{mask}' }, edited: ['Write to ****.com or ****1111.'] },
    { text: 'Call +4930123456', config: { redact: true, replacement: '{mask}' }, edited: ['Call ****'] },
    { text, config: { redact: true, replacement: '' }, edited: ['Write to  or .'] },
    {
      text: 'ann@example.com, bob@example.com, ann@example.com',
      config: { redact: true, replacement: '<{category}:{hash}>' },
      edited: ['<EMAIL_ADDRESS:71d4f55f72fa>, <EMAIL_ADDRESS:5ff860bf1190>, <EMAIL_ADDRESS:71d4f55f72fa>'],
    },
    { phase: 'afterRequest', text, config: { redact: true }, edited: ['Write to [EMAIL_ADDRESS] or [CREDIT_CARD].'] },
    { name: 'without any text', input: { texts: [] } },
    {
      name: 'digits in long parts, which are no number even where they are cut',
      input: {
        texts: [
          { text: `${'x '.repeat(500)}${'4111111111111111'.repeat(20)}${' x'.repeat(250)}`, message: 0 },
          { text: 'more', message: 0, adjoins: true },
        ],
      },
    },
    { name: 'numbers of two messages', input: { texts: splitCard.map(({ text }) => ({ text })) } },
    {
      name: 'a number that is split over parts of a message, of which each loses its share',
      input: { texts: splitCard },
      config: { redact: true },
      data: {
        entities: [
          { category: 'CREDIT_CARD', textIndex: 0, start: 9, end: 20 },
          { category: 'CREDIT_CARD', textIndex: 1, start: 0, end: 8 },
        ],
        counts: { CREDIT_CARD: 1 },
      },
      edited: ['Pay with [CREDIT_CARD]', '[CREDIT_CARD], please.'],
    },
    {
      name: 'an address that is one without its end too, between long parts',
      input: {
        texts: [
          { text: `bob@example.com ${'word '.repeat(1000)}ann@example.co`, message: 0 },
          { text: `m${' word'.repeat(1000)}`, message: 0, adjoins: true },
        ],
      },
      config: { redact: true },
      edited: [`[EMAIL_ADDRESS] ${'word '.repeat(1000)}[EMAIL_ADDRESS]`, `[EMAIL_ADDRESS]${' word'.repeat(1000)}`],
    },
  ],
  fail: [
    { text, data: { entities, counts }, why: 'Found: EMAIL_ADDRESS, CREDIT_CARD.' },
    { text, config: { allow: ['ann@example.com'] }, data: { entities: entities.slice(1), counts: { CREDIT_CARD: 1 } } },
    { text: 'Nothing personal.', config: { not: true } },
    {
      name: 'fullwidth letters',
      text: 'To ａｎｎ＠ｅｘａｍｐｌｅ．ｃｏｍ，４１１１ １１１１ １１１１ １１１１',
      data: {
        entities: [
          { category: 'EMAIL_ADDRESS', textIndex: 0, start: 3, end: 18 },
          { category: 'CREDIT_CARD', textIndex: 0, start: 19, end: 38 },
        ],
        counts,
      },
    },
    {
      name: 'invisible characters',
      text: '\u200b4111\u200b \u20601111 1111 11\u00ad11\u200b',
      data: {
        entities: [{ category: 'CREDIT_CARD', textIndex: 0, start: 1, end: 23 }],
        counts: { CREDIT_CARD: 1 },
      },
    },
    {
      name: 'invisible characters, in one of several parts',
      input: { texts: splitCard.map((part) => ({ ...part, text: part.text.replaceAll('1 1', '1\u200b 1') })) },
      data: { entities: [], counts: { CREDIT_CARD: 1 } },
    },
    {
      name: 'a number that is split over parts of a message',
      input: { texts: splitCard },
      data: { entities: [], counts: { CREDIT_CARD: 1 } },
      why: 'Found across parts of a message: CREDIT_CARD.',
    },
    {
      name: 'a number that is split over long parts',
      input: {
        texts: [
          { text: `${'word '.repeat(1000)}4111 1111 1`, message: 0 },
          { text: `111 1111${' word'.repeat(1000)}`, message: 0, adjoins: true },
          { text: `111${'字'.repeat(1000)}jane@exam`, message: 0, adjoins: true },
          { text: `ple.org${'字'.repeat(1000)}`, message: 0, adjoins: true },
        ],
      },
      data: { entities: [], counts: { CREDIT_CARD: 1, EMAIL_ADDRESS: 1 } },
    },
    { name: 'a number that has to be there, and is split', input: { texts: splitCard }, config: { not: true } },
    {
      input: { texts: [{ text: 'Hi' }, { text: '{"to":"ann@example.com"}', kind: 'tool-arguments' }] },
      data: {
        entities: [{ category: 'EMAIL_ADDRESS', textIndex: 1, start: 7, end: 22 }],
        counts: { EMAIL_ADDRESS: 1 },
      },
    },
  ],
  refused: [
    { config: { categories: ['NAME'] }, message: /categories/ },
    { config: { categories: [] }, message: /categories/ },
    { config: { replacement: '[{kind}]' }, message: /\{kind\}, which is none of \{category\}, \{mask\} and \{hash\}/ },
    { config: { redact: true, not: true }, message: /exclude each other/ },
  ],
});

testCheck(redact, {
  pass: [
    { text: 'Nothing personal.', edited: ['Nothing personal.'] },
    { text, data: { entities, counts }, edited: ['Write to [EMAIL_ADDRESS] or [CREDIT_CARD].'] },
    { text, config: { allow: ['ann@example.com'], replacement: '#' }, edited: ['Write to ann@example.com or #.'] },
    { text, config: { categories: ['EMAIL_ADDRESS'] }, edited: ['Write to [EMAIL_ADDRESS] or 4111 1111 1111 1111.'] },
    { phase: 'afterRequest', text, edited: ['Write to [EMAIL_ADDRESS] or [CREDIT_CARD].'] },
    {
      text: 'ann@example.com, ａnn@ex\u200bample.com\u200b, ok⚠️',
      config: { replacement: '<{hash}>' },
      edited: ['<71d4f55f72fa>, <71d4f55f72fa>\u200b, ok⚠️'],
    },
  ],
  refused: [
    { config: { redact: true }, message: /redact/ },
    { config: { replacement: '{' }, message: /replacement/ },
  ],
});

describe('redaction', () => {
  const value = fc.constantFrom(...categories.flatMap((category) => samples[category].found));
  const filler = fc.constantFrom(' and ', ', then ', '.\n', ' – ', '; ', ' 和 ', ' \u{1F600} ');

  it('leaves none of the values in the text, with any replacement', async () => {
    const replacement = fc.constantFrom('[{category}]', '{mask}', '{hash}', '');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(value, filler), { minLength: 1, maxLength: 6 }),
        replacement,
        async (parts, template) => {
          const input = checkInput({ text: parts.flat().join('') });
          const verdict = await runCheck(redact, { replacement: template }, input);
          const [redacted = ''] = editedTexts(input, verdict);
          for (const [each] of parts) assert.ok(!redacted.includes(each), `${each} is left in ${redacted}`);
        },
      ),
    );
  });

  const disguises: Readonly<Record<string, (value: string) => string>> = {
    'fullwidth letters': (plain) =>
      plain.replaceAll(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    'invisible characters': (plain) => [...plain].join('\u200b'),
  };
  for (const [what, disguised] of Object.entries(disguises))
    it(`takes out in ${what} what it takes out in plain ones`, async () => {
      const redacted = async (said: string) => {
        const input = checkInput({ text: said });
        const [left = ''] = editedTexts(input, await runCheck(redact, {}, input));
        return foldedText(left)?.text ?? left;
      };
      for (const category of categories)
        for (const each of samples[category].found)
          assert.equal(await redacted(`It is ${disguised(each)} .`), await redacted(`It is ${each} .`));
    });

  it('shows no value in its data', async () => {
    await fc.assert(
      fc.asyncProperty(value, async (each) => {
        const { data, why } = await runCheck(detect, {}, checkInput({ text: `It is ${each} .` }));
        assert.ok(!JSON.stringify([data, why]).includes(JSON.stringify(each).slice(1, -1)));
      }),
    );
  });

  it('lists the first 500 findings and counts them all', async () => {
    const input = checkInput({ text: 'ann@example.com '.repeat(600) });
    const { data, edits } = await runCheck(redact, {}, input);
    const { entities, counts } = data as { entities: unknown[]; counts: Record<string, number> };
    assert.deepEqual([entities.length, counts.EMAIL_ADDRESS, edits?.length], [500, 600, 600]);
  });
});
