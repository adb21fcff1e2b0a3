import { fileURLToPath } from 'node:url';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import { guardrails } from '../../guardrails/javelin/guardrails.ts';
import javelin from '../../guardrails/javelin/index.ts';

testGuardrailFixtures(fileURLToPath(new URL('../../guardrails/javelin/', import.meta.url)), javelin);

const credentials = { apiKey: 'key', application: 'support-bot' };
const answering = (reply: Json) => ({
  credentials,
  fetch: () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) }),
});

testCheck(guardrails, {
  error: [
    { name: 'no assessments', host: answering({ assessments: [] }), message: /without assessments/ },
    {
      name: 'an assessment without a verdict beside one that passes',
      host: answering({
        assessments: [{ trustsafety: { request_reject: false } }, { lang_detector: { results: {} } }],
      }),
      code: 'check_failed',
      message: /without a verdict of lang_detector/,
    },
    {
      name: 'a domain that is none',
      host: { ...answering({}), credentials: { ...credentials, domain: 'javelin.example.com?x=1' } },
      message: /credential domain must be/,
    },
  ],
  refused: [{ config: { threshold: 1 }, message: /threshold/ }],
});
