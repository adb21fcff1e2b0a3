import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from 'portcullis/sdk';
import { type CheckNetwork, testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import { credentials } from '../../guardrails/pangea/credentials.ts';
import pangea from '../../guardrails/pangea/index.ts';
import pii from '../../guardrails/pangea/pii.ts';
import textGuard from '../../guardrails/pangea/text-guard.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/pangea'), pangea);

const service = { apiKey: 'pts_example', domain: 'aws.us.pangea.cloud' };

testCheck(textGuard, {
  fail: [
    {
      name: 'a text that is blocked without a detector',
      host: says({ status: 'Success', result: { blocked: true, detectors: {} } }),
      why: 'Pangea has blocked the text.',
    },
    {
      name: 'what stands behind the length that the service reads at once',
      text: `${'Ä calm word. '.repeat(3000)}secret ${'x'.repeat(9000)} link`,
      host: { credentials: service, fetch: reader },
      why: 'Pangea has detected: malicious_entity, secrets.',
      data: { blocked: false, detected: { malicious_entity: ['URL'], secrets: ['KEY'] } },
    },
  ],
  error: [
    {
      name: 'more than it reads in all its calls',
      text: 'x'.repeat(176_501),
      host: { credentials: service, fetch: reader },
      code: 'check_failed',
      message: /176500 characters at most; here are 176501/,
    },
    {
      name: 'an answer that is not there yet',
      host: says({ status: 'Accepted', result: { detectors: {} } }),
      code: 'check_failed',
    },
    {
      name: 'a detector without a result',
      host: says({ status: 'Success', result: { detectors: { pii_entity: {} } } }),
      code: 'check_failed',
      message: /pii_entity/,
    },
  ],
  refused: [
    { config: { recipe: '' }, message: /recipe/ },
    { config: { overrides: [] }, message: /overrides/ },
  ],
});

const redact = { redact: true };

testCheck(pii, {
  error: [
    {
      name: 'redactions without the redacted text',
      config: redact,
      host: says({ status: 'Success', result: { count: 1 } }),
      code: 'check_failed',
    },
    {
      name: 'redactions that left the text as it was',
      text: 'Hello.',
      config: redact,
      host: says({ status: 'Success', result: { count: 1, redacted_data: { text0: 'Hello.' } } }),
      code: 'check_failed',
    },
  ],
});

it('takes no domain that is not of Pangea', () => {
  const fits = new Ajv2020({ strict: false }).compile(credentials);
  const taken = (domain: string) => fits({ apiKey: 'pts_example', domain });
  assert.equal(taken('gcp.us.pangea.cloud'), true);
  assert.equal(taken('pangea.cloud.example.com'), false);
  assert.equal(taken('example.com/pangea.cloud'), false);
});

function says(reply: Json) {
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials: service, fetch };
}

/** Finds words in what it is given, and refuses what is too long for it. */
function reader(...[, { body }]: Parameters<CheckNetwork>) {
  const { text } = JSON.parse(body ?? '') as { text: string };
  if (Buffer.byteLength(text) > 20 * 1024) return { status: 400, headers: {}, body: Buffer.from('{}') };
  const found = (word: string, type: string) => ({
    detected: text.includes(word),
    data: text.includes(word) ? { entities: [{ type }] } : null,
  });
  const detectors = { malicious_entity: found('link', 'URL'), secrets: found('secret', 'KEY'), topic: null };
  return says({ status: 'Success', result: { blocked: false, detectors } }).fetch();
}
