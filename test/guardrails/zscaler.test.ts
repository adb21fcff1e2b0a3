import { fileURLToPath } from 'node:url';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import zscaler from '../../guardrails/zscaler/index.ts';
import { scan } from '../../guardrails/zscaler/scan.ts';

testGuardrailFixtures(fileURLToPath(new URL('../../guardrails/zscaler/', import.meta.url)), zscaler);

const answering = (reply: Json) => ({
  credentials: { zscalerApiKey: 'key' },
  fetch: () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) }),
});
const texts = (count: number) => Array.from({ length: count }, () => ({ text: 'Hi.' }));
const config = { policyId: '760' };

testCheck(scan, {
  pass: [
    { name: 'texts without a character, asking nobody', config, input: { texts: [{ text: '' }, { text: ' \n' }] } },
    {
      name: 'as many texts as it may ask about',
      config,
      input: { texts: texts(32) },
      host: answering({ action: 'ALLOW' }),
    },
  ],
  fail: [
    {
      name: 'what is blocked though a detector failed',
      config,
      host: answering({ action: 'BLOCK', detectorErrorCount: 1 }),
    },
  ],
  error: [
    {
      name: 'a failure behind a status of 200',
      config,
      host: answering({ action: 'ALLOW', statusCode: 503 }),
      message: /status 503/,
    },
    {
      name: 'an action that is unknown',
      config,
      host: answering({ action: 'REVIEW' }),
      message: /ALLOW, DETECT or BLOCK/,
    },
    {
      name: 'detectors that failed',
      config,
      host: answering({ action: 'ALLOW', detectorErrorCount: 2 }),
      code: 'check_failed',
      message: /2 detectors/,
    },
    {
      name: 'a detector that failed where nobody counts them',
      config,
      host: answering({
        action: 'ALLOW',
        detectorResponses: { pii: { statusCode: 500, errorMsg: 'timeout', triggered: false }, toxicity: {} },
      }),
      code: 'check_failed',
      message: /1 detectors/,
    },
    {
      name: 'more texts than it may ask about',
      config,
      input: { texts: texts(33) },
      host: answering({ action: 'ALLOW' }),
      code: 'check_failed',
      message: /at most 32/,
    },
  ],
  refused: [
    { config: {}, message: /policyId/ },
    { config: { policyId: 'default' }, message: /policyId/ },
    { config: { policyId: '0' }, message: /policyId/ },
  ],
});
