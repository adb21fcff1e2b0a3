import { join } from 'node:path';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import custom from '../../guardrails/patronus/custom.ts';
import { entities } from '../../guardrails/patronus/entities.ts';
import patronus from '../../guardrails/patronus/index.ts';
import { judged } from '../../guardrails/patronus/judged.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/patronus'), patronus);

const grounded = judged({ evaluator: 'lynx', title: 'Grounded', fault: 'The answer is not backed.', grounded: true });

testCheck(grounded, {
  pass: [{ name: 'an answer without a word, unasked', text: '' }],
  error: [
    {
      name: 'an answer with nothing to hold it against',
      input: { turns: [{ role: 'user', text: 'Who are you?' }] },
      code: 'check_failed',
      message: /no system message and no result of a tool/,
    },
    {
      name: 'an evaluator that failed',
      input: {
        turns: [
          { role: 'system', text: 'I am John.' },
          { role: 'assistant', text: 'My name is Barry.' },
        ],
      },
      host: says({ status: 'error', error_message: 'busy', evaluation_result: null }),
      code: 'check_failed',
    },
  ],
});

testCheck(custom, {
  error: [
    {
      name: 'an evaluator without a verdict',
      config: { profile: 'tone' },
      host: says({ status: 'success', evaluation_result: { pass: null } }),
      code: 'check_failed',
      message: /evaluator judge/,
    },
  ],
  refused: [
    { config: {}, message: /profile/ },
    { config: { profile: 'judge:' }, message: /profile/ },
    { config: { profile: ':tone' }, message: /profile/ },
  ],
});

testCheck(entities('pii', 'Entities', 'personal data'), {
  error: [
    {
      name: 'a finding without a place, which cannot be taken out',
      config: { redact: true },
      host: says(failed(null)),
      code: 'check_failed',
      message: /without saying where/,
    },
    {
      name: 'a place outside the text',
      text: 'Ada',
      config: { redact: true },
      host: says(failed([[0, 4]])),
      code: 'check_failed',
      message: /outside the text/,
    },
    {
      name: 'more texts than it asks about',
      input: { phase: 'afterRequest', texts: Array.from({ length: 33 }, () => ({ text: 'Hello.' })) },
      code: 'check_failed',
      message: /32 texts at most; here are 33/,
    },
  ],
});

function failed(positions: Json) {
  return { status: 'success', evaluation_result: { pass: false, additional_info: { positions } } };
}

function says(result: Json) {
  const reply = { results: [result] };
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials: { apiKey: 'patronus-key' }, fetch };
}
