import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from 'portcullis/sdk';
import { createCheckHost, testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import { credentials as schema } from '../../guardrails/promptsecurity/credentials.ts';
import promptsecurity from '../../guardrails/promptsecurity/index.ts';
import protectPrompt from '../../guardrails/promptsecurity/protect-prompt.ts';
import protectResponse from '../../guardrails/promptsecurity/protect-response.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/promptsecurity'), promptsecurity);

const credentials = { apiDomain: 'eu.prompt.security', apiKey: 'test-app-id' };
const many = (count: number) => ({ texts: Array.from({ length: count }, () => ({ text: 'Hello.' })) });
const passes = says({ result: { prompt: { action: 'allow' } } });

testCheck(protectPrompt, {
  pass: [
    { name: '32 texts', input: many(32), host: passes },
    { name: 'blank texts without a call', input: { text: ' \n' }, host: createCheckHost() },
  ],
  fail: [
    { name: 'what is logged and not passed', host: says({ result: { prompt: { action: 'log', passed: false } } }) },
  ],
  error: [
    {
      name: '33 texts',
      input: many(33),
      host: passes,
      code: 'check_failed',
      message: /32 texts at most; there are 33/,
    },
    {
      name: 'an unknown action',
      host: says({ result: { prompt: { action: 'review', passed: true } } }),
      code: 'check_failed',
    },
    {
      name: 'a change without the text',
      host: says({ result: { prompt: { action: 'modify', passed: true } } }),
      code: 'check_failed',
    },
    {
      name: 'a verdict on something else',
      host: says({ result: { response: { action: 'pass' } } }),
      code: 'check_failed',
    },
    // No document says that null is a verdict on a text that was sent.
    { name: 'no verdict', host: says({ result: { prompt: null, response: null } }), code: 'check_failed' },
  ],
  refused: [{ config: { redact: true }, message: /redact/ }],
});

testCheck(protectResponse, {
  error: [
    {
      name: 'a verdict on the prompt alone',
      host: says({ result: { prompt: { action: 'pass' } } }),
      code: 'check_failed',
    },
  ],
});

describe('the credential apiDomain', () => {
  const good = ['eu.prompt.security', 'ps.example.com:8443', '10.0.0.7'];
  const bad = ['https://eu.prompt.security', 'eu.prompt.security/api', 'user@eu.prompt.security', 'a b', '?x', ''];
  const isHost = new Ajv2020({ strict: false }).compile(schema);
  it('is a host', () => {
    const taken = [...good, ...bad].filter((apiDomain) => isHost({ ...credentials, apiDomain }));
    assert.deepEqual(taken, good);
  });
});

function says(reply: Json) {
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials, fetch };
}
