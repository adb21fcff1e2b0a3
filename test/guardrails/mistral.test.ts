import { join } from 'node:path';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import mistral from '../../guardrails/mistral/index.ts';
import moderateContent from '../../guardrails/mistral/moderate-content.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/mistral'), mistral);

const config = { categories: ['law', 'pii'] };

testCheck(moderateContent, {
  pass: [{ name: 'a text without a word, unasked', text: ' ', config }],
  error: [
    {
      name: 'a category that is missing',
      config,
      host: says({ results: [{ categories: { law: false } }] }),
      code: 'check_failed',
      message: /pii/,
    },
    {
      name: 'fewer results than texts',
      input: { texts: [{ text: 'one' }, { text: 'two' }] },
      config,
      host: says({ results: [{ categories: { law: false, pii: false } }] }),
      code: 'check_failed',
      message: /1 results for 2 texts/,
    },
  ],
  refused: [
    { config: {}, message: /categories/ },
    { config: { categories: [] }, message: /categories/ },
    { config: { categories: ['violence'] }, message: /categories\[0\]/ },
  ],
});

function says(reply: Json) {
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials: { apiKey: 'mistral-key' }, fetch };
}
