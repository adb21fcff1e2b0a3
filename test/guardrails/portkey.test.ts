import { fileURLToPath } from 'node:url';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import { gibberish } from '../../guardrails/portkey/gibberish.ts';
import portkey from '../../guardrails/portkey/index.ts';
import { language } from '../../guardrails/portkey/language.ts';
import { moderateContent } from '../../guardrails/portkey/moderate-content.ts';
import { pii } from '../../guardrails/portkey/pii.ts';

testGuardrailFixtures(fileURLToPath(new URL('../../guardrails/portkey/', import.meta.url)), portkey);

const answering = (reply: Json) => ({
  credentials: { apiKey: 'key' },
  fetch: () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) }),
});
const moderated = (categories: Json) => answering({ results: [{ flagged: false, categories }] });

testCheck(moderateContent, {
  pass: [
    { name: 'what is flagged, inverted', config: { categories: ['hate'], not: true }, host: moderated({ hate: true }) },
  ],
  fail: [
    {
      name: 'what is not flagged, inverted',
      config: { categories: ['hate'], not: true },
      host: moderated({ hate: false }),
      why: 'No category is flagged.',
    },
  ],
  error: [
    {
      name: 'a category without a verdict',
      config: { categories: ['hate', 'sexual'] },
      host: moderated({ hate: false }),
      code: 'check_failed',
      message: /without a verdict on sexual/,
    },
  ],
  refused: [
    { config: {}, message: /categories/ },
    { config: { categories: [] }, message: /categories/ },
    { config: { categories: ['spam'] }, message: /categories/ },
  ],
});

testCheck(language, {
  pass: [
    {
      name: 'a language that is not listed, inverted',
      config: { language: 'eng_Latn', not: true },
      host: answering([[{ label: 'deu_Latn', score: 1 }]]),
    },
  ],
  fail: [
    {
      name: 'a language that is listed, inverted',
      config: { language: ['eng_Latn'], not: true },
      host: answering([[{ label: 'eng_Latn', score: 1 }]]),
      why: 'The language is eng_Latn, which is listed.',
    },
    {
      name: 'a code that is a part of one listed',
      config: { language: 'eng_Latn' },
      host: answering([[{ label: 'eng', score: 1 }]]),
    },
  ],
  error: [
    { name: 'no label', config: { language: 'eng_Latn' }, host: answering([[]]), message: /without a label/ },
    {
      name: 'an object in the place of the list',
      config: { language: 'eng_Latn' },
      host: answering({ label: 'eng_Latn' }),
      code: 'check_failed',
      message: /no list/,
    },
  ],
  refused: [
    { config: {}, message: /language/ },
    { config: { language: 'en' }, message: /language/ },
    { config: { language: [] }, message: /language/ },
  ],
});

testCheck(gibberish, {
  pass: [{ name: 'gibberish, inverted', config: { not: true }, host: answering([[{ label: 'noise', score: 1 }]]) }],
  fail: [{ name: 'a clean text, inverted', config: { not: true }, host: answering([[{ label: 'clean', score: 1 }]]) }],
  error: [{ name: 'a label that is none', host: answering([[{ label: null }]]), message: /without a label/ }],
  refused: [{ config: { not: 'yes' }, message: /not/ }],
});

const found = { entities: [{ text: 'Ann', labels: { NAME: 0.9 } }], processed_text: 'I am Ann.' };
const config = { categories: ['NAME'] };

testCheck(pii, {
  pass: [
    { name: 'texts without a character, asking nobody', config, input: { texts: [{ text: ' ' }] } },
    { name: 'personal data, inverted', config: { ...config, not: true }, text: 'I am Ann.', host: answering([found]) },
  ],
  fail: [
    {
      name: 'what the service found and did not redact',
      config: { ...config, redact: true },
      text: 'I am Ann.',
      host: answering([found]),
      data: { found: ['NAME'], redacted: false, not: false },
    },
    {
      name: 'a text without personal data, inverted',
      config: { ...config, not: true },
      host: answering([{ entities: [], processed_text: 'Hello.' }]),
      why: 'No personal data was found.',
    },
  ],
  error: [
    {
      name: 'fewer replies than texts',
      config,
      input: { texts: [{ text: 'I am Ann.' }, { text: 'I am Bob.' }] },
      host: answering([found]),
      code: 'check_failed',
      message: /without entities/,
    },
    {
      name: 'an entity without labels',
      config,
      host: answering([{ entities: [{ text: 'Ann' }], processed_text: 'I am Ann.' }]),
      message: /unlabelled/,
    },
    {
      name: 'more texts than it may ask about',
      config,
      input: { texts: Array.from({ length: 33 }, () => ({ text: 'Hi.' })) },
      host: answering([]),
      code: 'check_failed',
      message: /at most 32/,
    },
  ],
  refused: [
    { config: {}, message: /categories/ },
    { config: { categories: ['PASSPORT'] }, message: /categories/ },
  ],
});
