import { join } from 'node:path';
import type { Json } from 'portcullis/sdk';
import { createCheckHost, testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import { detectors } from '../../guardrails/qualifire/detectors.ts';
import qualifire from '../../guardrails/qualifire/index.ts';
import policy from '../../guardrails/qualifire/policy.ts';
import toolUseQuality from '../../guardrails/qualifire/tool-use-quality.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/qualifire'), qualifire);

const credentials = { apiKey: 'test-key' };
const policies = ["don't give financial advice"];

testCheck(detectors.promptInjections, {
  pass: [
    {
      name: 'with a warning',
      host: says({ status: 'warning', score: null, evaluationResults: [] }),
      data: { status: 'warning', results: [] },
    },
    { name: 'an evaluation that has come to its end without a flag', host: says(completed(false, false)) },
  ],
  fail: [
    { name: 'one that has come to its end with a flag', host: says(completed(false, true)), why: /evaluation/ },
    { name: 'a success beside a flag', host: says({ ...completed(true), status: 'success' }), why: /evaluation/ },
  ],
  error: [
    { name: 'one that has come to its end without results', host: says(completed()), code: 'check_failed' },
    { name: 'one whose result says nothing', host: says(completed(null)), code: 'check_failed' },
    { name: 'an unknown status', host: says({ status: 'pending', evaluationResults: [] }), code: 'check_failed' },
    { name: 'a status without results', host: says({ status: 'success' }), code: 'check_failed' },
  ],
  refused: [{ config: { mode: 'speed' }, message: /mode/ }],
});

testCheck(detectors.hallucinations, { refused: [{ config: { mode: 'fast' }, message: /mode/ }] });

testCheck(policy, {
  pass: [
    {
      name: 'a prompt when policies are about replies, without a call',
      config: { policies, policy_target: 'output' },
      host: createCheckHost(),
    },
  ],
  refused: [
    { config: {}, message: /policies/ },
    { config: { policies: [] }, message: /policies/ },
    { config: { policies: [''] }, message: /policies\[0\]/ },
    { config: { policies, policy_target: 'all' }, message: /policy_target/ },
  ],
});

const body = { model: 'm', messages: [{ role: 'user', content: 'Hello.' }] };
const reply = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi.' } }],
};

testCheck(toolUseQuality, {
  pass: [{ name: 'a request without tools, without a call', input: { body, reply }, host: createCheckHost() }],
  error: [
    {
      name: 'a streamed reply',
      input: { body, stream: true },
      host: createCheckHost(),
      code: 'check_failed',
      message: /cannot be read/,
    },
    {
      name: 'another endpoint',
      input: { body, reply, endpoint: 'complete' },
      host: createCheckHost(),
      code: 'check_failed',
    },
  ],
});

function says(reply: Json) {
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials, fetch };
}

/** The status as the vendor's own SDK shows it: the verdict stands in the results. */
function completed(...flags: readonly (boolean | null)[]) {
  const evaluationResults = flags.map((flagged) => ({ type: 'prompt_injections', results: [{ name: 'p', flagged }] }));
  return { status: 'completed', score: 50, evaluationResults };
}
