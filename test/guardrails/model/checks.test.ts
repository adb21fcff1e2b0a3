import { describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import gibberish from '../../../guardrails/model/gibberish.ts';
import definition from '../../../guardrails/model/index.ts';
import injection from '../../../guardrails/model/injection.ts';
import language from '../../../guardrails/model/language.ts';
import moderation from '../../../guardrails/model/moderation.ts';
import { answering } from './answering.ts';

const model = '@saved/model';
const long = `${'a'.repeat(32_000)}${'b'.repeat(10_000)}`;

describe('the checks by a model', () => {
  testCheck(gibberish, {
    pass: [
      { text: 'A', config: { model }, host: answering(() => ({ gibberish: false })), data: { gibberish: false } },
      { text: 'A', config: { model, not: true }, host: answering(() => ({ gibberish: true })) },
    ],
    fail: [
      { text: 'A', config: { model }, host: answering(() => ({ gibberish: true })), why: 'The text is gibberish.' },
      { text: 'A', config: { model, not: true }, host: answering(() => ({ gibberish: false })) },
      {
        name: 'when one part does',
        text: long,
        config: { model },
        host: answering((text) => ({ gibberish: text.includes('b') })),
      },
      {
        name: 'when one part does, turned around',
        text: long,
        config: { model, not: true },
        host: answering((text) => ({ gibberish: text.includes('b') })),
      },
    ],
  });

  testCheck(injection, {
    pass: [
      { text: 'A', config: { model }, host: answering(() => ({ score: 0.49 })), data: { score: 0.49 } },
      { text: 'A', config: { model, threshold: 1 }, host: answering(() => ({ score: 0.99 })) },
    ],
    fail: [
      {
        text: 'A',
        config: { model },
        host: answering(() => ({ score: 0.5 })),
        why: 'The score is 0.5; it fails from 0.5 on.',
      },
      { text: 'A', config: { model, threshold: 0 }, host: answering(() => ({ score: 0 })) },
      {
        name: 'when one part does',
        text: long,
        config: { model },
        host: answering((text) => ({ score: text.includes('b') ? 1 : 0 })),
        data: { score: 1 },
      },
      {
        name: 'by arguments of tools',
        input: { texts: [{ text: 'x', kind: 'tool-arguments' }, { text: 'y' }] },
        config: { model },
        host: answering((text) => ({ score: text === 'x\ny' ? 1 : 0 })),
      },
    ],
    error: [
      { name: 'a score above 1', config: { model }, host: answering(() => ({ score: 1.1 })), code: 'check_failed' },
      { name: 'a score below 0', config: { model }, host: answering(() => ({ score: -0.1 })), code: 'check_failed' },
      { name: 'a score in words', config: { model }, host: answering(() => ({ score: '0' })), code: 'check_failed' },
    ],
    refused: [{ config: { model, threshold: 1.5 }, message: /threshold/ }],
  });

  testCheck(moderation, {
    pass: [
      { text: 'A', config: { model }, host: answering(() => ({ categories: [] })), data: { categories: [] } },
      { text: 'A', config: { model, not: true }, host: answering(() => ({ categories: ['hate'] })) },
    ],
    fail: [
      {
        text: 'A',
        config: { model, categories: ['violence', 'hate'] },
        host: answering(() => ({ categories: ['hate', 'violence', 'hate'] })),
        data: { categories: ['violence', 'hate'] },
        why: 'Found: violence, hate.',
      },
      { text: 'A', config: { model, not: true }, host: answering(() => ({ categories: [] })) },
      {
        name: 'when one part does',
        text: long,
        config: { model },
        host: answering((text) => ({ categories: text.includes('b') ? ['illicit'] : [] })),
        data: { categories: ['illicit'] },
      },
    ],
    error: [
      {
        name: 'a category that was not asked for',
        config: { model, categories: ['hate'] },
        host: answering(() => ({ categories: ['violence'] })),
        code: 'check_failed',
      },
      {
        name: 'a category beside those',
        config: { model, categories: ['hate'] },
        host: answering(() => ({ categories: ['hate', 'rude'] })),
        code: 'check_failed',
      },
      {
        name: 'a text in the place of the list',
        config: { model },
        host: answering(() => ({ categories: 'hate' })),
        code: 'check_failed',
      },
    ],
    refused: [
      { config: { model, categories: [] }, message: /categories/ },
      { config: { model, categories: ['rude'] }, message: /categories/ },
    ],
  });

  const german = answering(() => ({ language: 'de', script: 'Latn' }));
  const says = (code: string, script: string) => answering(() => ({ language: code, script }));
  testCheck(language, {
    pass: [
      { text: 'A', config: { model, language: 'de' }, host: german, data: { languages: ['de'] } },
      { text: 'A', config: { model, language: ['en', 'German'] }, host: german },
      { text: 'A', config: { model, language: 'deu_Latn' }, host: german },
      { text: 'A', config: { model, language: 'fr', not: true }, host: german },
      { text: 'A', config: { model, language: 'de' }, host: says('deu', 'Latn') },
      { text: 'A', config: { model, language: 'zho_Hant' }, host: says('zh', 'Hant') },
      { text: 'A', config: { model, language: 'Chinese' }, host: says('zh', 'Hant') },
      { text: 'A', config: { model, language: 'arb_Arab' }, host: says('ar', 'Arab') },
      { text: 'A', config: { model, language: 'nob_Latn' }, host: says('no', 'Latn') },
      { text: '', config: { model, language: 'de' }, host: german, why: 'There is no text.' },
    ],
    fail: [
      { text: 'A', config: { model, language: ['en', 'fr'] }, host: german, why: 'The language is de.' },
      { text: 'A', config: { model, language: 'de', not: true }, host: german },
      { text: 'A', config: { model, language: 'zho_Hans' }, host: says('zh', 'Hant') },
      { text: '123', config: { model, language: 'en' }, host: says('und', 'Zyyy'), data: { languages: ['und'] } },
      {
        name: 'when one part does',
        text: long,
        config: { model, language: 'de' },
        host: answering((text) => ({ language: text.includes('b') ? 'fr' : 'de', script: 'Latn' })),
        data: { languages: ['de', 'fr'] },
      },
    ],
    error: [
      {
        name: 'a name in the place of the code',
        config: { model, language: 'de' },
        host: says('German', 'Latn'),
        code: 'check_failed',
      },
      {
        name: 'a code that there is not',
        config: { model, language: 'de' },
        host: says('xx', 'Latn'),
        code: 'check_failed',
      },
      {
        name: 'a script that is none',
        config: { model, language: 'de' },
        host: says('de', 'Latin'),
        code: 'check_failed',
      },
    ],
    refused: [
      { config: { model }, message: /language/ },
      { config: { model, language: 'xx' }, message: /language "xx" is none: use an ISO 639-1 code/ },
      { config: { model, language: ['en', 'fr-FR'] }, message: /fr-FR/ },
      { config: { model, language: [] }, message: /language/ },
    ],
  });
});

testGuardrailFixtures(fileURLToPath(new URL('../../../guardrails/model', import.meta.url)), definition);
