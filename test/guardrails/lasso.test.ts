import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Json, parseJson } from 'portcullis/sdk';
import { checkInput, createCheckHost, runCheck, testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import classify from '../../guardrails/lasso/classify.ts';
import lasso from '../../guardrails/lasso/index.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/lasso'), lasso);

const credentials = { apiKey: 'test-key' };

testCheck(classify, {
  pass: [
    { name: 'what holds no text, without a call', input: { turns: [], texts: [] }, host: createCheckHost() },
    { name: 'what Lasso only warns of', host: says(violation({ jailbreak: ['WARN'], hate: ['WARN', 'WARN'] })) },
  ],
  fail: [
    { name: 'a warning beside what is blocked', host: says(violation({ jailbreak: ['WARN', 'BLOCK'] })) },
    { name: 'what would have to be masked', host: says(violation({ 'pattern-detection': ['AUTO_MASKING'] })) },
    { name: 'an alert that v2 does not know', host: says(violation({ jailbreak: ['ADMIN_ALERT'] })) },
    {
      name: 'what v3 would have masked',
      config: { apiVersion: 'v3' },
      host: says(violation({ 'pattern-detection': ['WARN', 'AUTO_MASKING'] })),
    },
    { name: 'a deputy that does not say what for', host: says(violation({ jailbreak: ['WARN'], hate: [] })) },
    { name: 'a violation without findings', host: says({ violations_detected: true }) },
  ],
  error: [
    { name: 'a verdict in words', host: says({ violations_detected: 'false' }), code: 'check_failed' },
    { name: 'no verdict of v3', config: { apiVersion: 'v3' }, host: says({ deputies: {} }), code: 'check_failed' },
  ],
  refused: [
    { config: { messages: [{ role: 'tool', content: 'x' }] }, message: /role/ },
    { config: { messages: [{ role: 'user' }] }, message: /content/ },
    { config: { messages: 'Hello.' }, message: /messages/ },
    { config: { conversationId: 'a\r\nlasso-user-id: b' }, message: /conversationId/ },
    { config: { userId: '' }, message: /userId/ },
    { config: { apiVersion: 'v1' }, message: /apiVersion/ },
  ],
});

describe('lasso.classify', () => {
  it('sends texts that belong to no conversation', async () => {
    const host = createCheckHost(says({ violations_detected: false }));
    const input = checkInput({ endpoint: 'embed', turns: [], texts: [{ text: 'one' }, { text: '' }, { text: 'two' }] });
    await runCheck(classify, {}, input, host);
    assert.deepEqual(
      host.fetched.map(({ request }) => parseJson(request.body ?? '')),
      [
        {
          messages: [
            { role: 'user', content: 'one' },
            { role: 'user', content: 'two' },
          ],
        },
      ],
    );
  });
});

function violation(actions: Readonly<Record<string, readonly string[]>>) {
  const named = Object.entries(actions);
  return {
    violations_detected: true,
    deputies: Object.fromEntries(named.map(([deputy]) => [deputy, true])),
    findings: Object.fromEntries(named.map(([deputy, all]) => [deputy, all.map((action) => ({ action }))])),
  };
}

function says(reply: Json) {
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials, fetch };
}
