import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type Endpoint, type JsonObject } from 'portcullis/sdk';
import { createChecks } from '../../../core/checks/registry.ts';
import { runTrial, type Sample } from '../../../plugins/guardrails/trial.ts';
import { recordingLog } from '../../support/recording-log.ts';
import probe from './units/test-probe/index.ts';

const { log } = recordingLog();
const never = () => assert.fail('Nobody asks for this.');
const manifest = { name: 'test-probe', kind: 'guardrail' as const, version: '1.0.0', sdk: '^1.0.0', title: 'Probe' };
const checks = createChecks([{ manifest, trust: 'trusted', definition: probe }], {
  log: () => log,
  now: () => 0,
  send: never,
  ask: never,
  code: never,
});

/** Swaps `secret` for `[X]`, and denies. */
const swapping = {
  id: 'own',
  checks: [{ id: 'test-probe.swaps', parameters: { from: 'secret', to: '[X]' } }],
  actions: { deny: true } as JsonObject,
};
const tried = (sample: Sample, guardrail = swapping) =>
  runTrial(guardrail, sample, {
    checks,
    credentialsOf: async () => undefined,
    principal: { id: 'p', kind: 'key' },
    now: () => 0,
    newId: () => 'id-1',
    log,
  });

describe('a trial of a guardrail', () => {
  const bodies: readonly [Endpoint, JsonObject, JsonObject][] = [
    ['rerank', { query: 'a secret', documents: ['d'] }, { query: 'a [X]', documents: ['d'] }],
    ['imageGenerate', { prompt: 'a cat', negative_prompt: 'a secret' }, { prompt: 'a cat', negative_prompt: 'a [X]' }],
    ['embed', { input: ['a', 'secret'] }, { input: ['a', '[X]'] }],
    ['complete', { prompt: 'secret' }, { prompt: '[X]' }],
    ['messages', { messages: [{ role: 'user', content: 'secret' }] }, { messages: [{ role: 'user', content: '[X]' }] }],
  ];
  for (const [endpoint, body, expected] of bodies) {
    it(`runs on a request of ${endpoint}`, async () => {
      const result = await tried({ phase: 'beforeRequest', endpoint, body });
      assert.deepEqual([result.verdict, result.transformed, result.transformed_body], [true, true, expected]);
    });
  }

  for (const [endpoint, expected] of [
    ['chatComplete', { messages: [{ role: 'user', content: '[X]' }] }],
    ['messages', { messages: [{ role: 'user', content: '[X]' }] }],
    ['complete', { prompt: '[X]' }],
    ['embed', { input: '[X]' }],
    ['createModelResponse', { input: '[X]' }],
  ] as const) {
    it(`runs on a text as a request of ${endpoint}`, async () => {
      const result = await tried({ phase: 'beforeRequest', endpoint, text: 'secret' });
      assert.deepEqual(result.transformed_body, expected);
    });
  }

  it('runs on a reply, and on a text as one', async () => {
    const result = await tried({ phase: 'afterRequest', text: 'secret' });
    assert.match(JSON.stringify(result.transformed_body), /"content":"\[X\]"/);
    const reply = { content: [{ type: 'text', text: 'secret' }] };
    const messages = await tried({ phase: 'afterRequest', endpoint: 'messages', reply });
    assert.deepEqual(messages.transformed_body, { content: [{ type: 'text', text: '[X]' }] });
  });

  it('takes a text that is the reply for no prompt', async () => {
    const seeing = { ...swapping, checks: [{ id: 'test-probe.sees' }] as never };
    const { checks: ran } = await tried({ phase: 'afterRequest', text: 'Sure.' }, seeing);
    const [check] = asObjects(ran);
    assert.equal(asObject(check?.data)?.prompt, '');
  });

  it('runs at once and shows what would happen, whatever the actions say', async () => {
    const result = await tried({ phase: 'beforeRequest', text: 'secret' }, { ...swapping, actions: { async: true } });
    assert.deepEqual([result.async, result.transformed], [true, true]);
    const failing = { ...swapping, checks: [{ id: 'test-probe.crashes' }], actions: { deny: true } } as never;
    const failed = await tried({ phase: 'beforeRequest', text: 'x' }, failing);
    assert.deepEqual([failed.verdict, failed.deny, asObjects(failed.checks)[0]?.verdict], [false, true, false]);
  });

  it('gives no body where nothing was changed', async () => {
    assert.equal('transformed_body' in (await tried({ phase: 'beforeRequest', text: 'plain' })), false);
  });

  const refused: readonly [string, Sample, string][] = [
    ['without text and body', { phase: 'beforeRequest' }, 'text'],
    ['with a text where there is no form for it', { phase: 'beforeRequest', endpoint: 'rerank', text: 'x' }, 'body'],
    [
      'with a text beside a body, which would not be looked at',
      { phase: 'beforeRequest', text: 'secret', body: { messages: [] } },
      'text',
    ],
    [
      'with a text beside body and reply',
      { phase: 'afterRequest', text: 'secret', body: { messages: [] }, reply: { choices: [] } },
      'text',
    ],
    ['without a reply', { phase: 'afterRequest' }, 'reply'],
    ['with a text as the reply of another format', { phase: 'afterRequest', endpoint: 'messages', text: 'x' }, 'reply'],
  ];
  for (const [what, sample, param] of refused) {
    it(`is refused ${what}`, async () => {
      await assert.rejects(tried(sample), { code: 'invalid_config', param });
    });
  }

  it('names a check that does not run in the phase by its place', async () => {
    const onRequests = { ...swapping, checks: [...swapping.checks, { id: 'test-probe.requestsOnly' }] as never };
    await assert.rejects(tried({ phase: 'afterRequest', text: 'x' }, onRequests), {
      param: 'checks[1].id',
      message: /^checks\[1\]\.id is test-probe\.requestsOnly, which does not run on replies/,
    });
  });

  it('is refused where every check is switched off', async () => {
    const off = { ...swapping, checks: swapping.checks.map((check) => ({ ...check, is_enabled: false })) };
    await assert.rejects(tried({ phase: 'beforeRequest', text: 'x' }, off), {
      code: 'invalid_config',
      param: 'checks',
    });
  });
});
