import { fileURLToPath } from 'node:url';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import exa from '../../guardrails/exa/index.ts';
import { online } from '../../guardrails/exa/online.ts';

testGuardrailFixtures(fileURLToPath(new URL('../../guardrails/exa/', import.meta.url)), exa);

const answering = (reply: Json) => ({
  credentials: { apiKey: 'key' },
  fetch: () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) }),
});
const longest = { title: '題'.repeat(900), url: `https://e.example/${'題'.repeat(900)}`, text: 'Short.' };

testCheck(online, {
  pass: [
    { name: 'a request without a question, asking nobody', input: { prompt: ' ', text: 'Hi.' }, edited: ['Hi.'] },
    { name: 'many sources with long names', text: 'News?', host: answering({ results: Array(100).fill(longest) }) },
  ],
  error: [
    {
      name: 'results that are no list',
      text: 'News?',
      host: answering({ results: null }),
      code: 'check_failed',
      message: /without results/,
    },
  ],
  refused: [
    { config: { numResults: 0 }, message: /numResults/ },
    { config: { numResults: 101 }, message: /numResults/ },
    { config: { includeDomains: 'arxiv.org' }, message: /includeDomains/ },
    { config: { query: 'other' }, message: /query/ },
  ],
});
