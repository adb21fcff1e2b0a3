import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { guarded, says, without } from '../plugins/guardrails/guarded.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

describe('explain', () => {
  const explained = async (
    t: Parameters<typeof guarded>[0],
    config: JsonObject,
    path?: string,
    body: JsonObject = says('x'),
  ) => {
    const { gateway } = await guarded(t, {
      guardrails: {
        named: { checks: [{ id: 'default.contains', parameters: { words: ['x'] } }], actions: { deny: true } },
      },
      defaultGuardrails: { output: ['named'] },
    });
    const { targets, error } = await gateway.explain({
      headers: { 'x-gw-config': JSON.stringify({ provider: 'echo', ...config }) },
      ...(path === undefined ? {} : { path }),
      body,
    });
    return { notes: targets[0]?.notes, answer: targets[0]?.answer, error: error ?? targets[0]?.error };
  };

  it('says what runs on a target, and how', async (t) => {
    const { notes } = await explained(t, {
      input_guardrails: [
        { id: 'a', ...without('bad'), 'test-probe.later': {}, deny: true },
        { id: 'b', ...without('bad'), async: true },
        { id: 'c', ...without('bad'), sequential: true, mode: 'shadow' },
      ],
      input_mutators: [{ id: 'd', 'test-probe.swaps': { from: 'a', to: 'b' } }],
      output_guardrails: [{ id: 'e', ...without('bad'), stream_mode: 'window' }],
    });
    assert.deepEqual(notes, [
      'beforeRequest: guardrail a runs default.contains, test-probe.later (denies)',
      'beforeRequest: guardrail b runs default.contains (after the reply)',
      'beforeRequest: guardrail c runs default.contains (in sequence, in shadow)',
      'beforeRequest: mutator d runs test-probe.swaps',
      'afterRequest: guardrail e runs default.contains (in windows of streams)',
      'afterRequest: guardrail named runs default.contains (denies)',
      'afterRequest: guardrail named: on streams it only reports: stream_mode is after',
    ]);
  });

  it('says of which guardrails streams are only told', async (t) => {
    const { notes } = await explained(t, {
      output_guardrails: [
        { id: 'reports', ...without('bad') },
        { id: 'changes', 'default.regexReplace': { rule: 'a' } },
        { id: 'in-time', ...without('bad'), deny: true, stream_mode: 'window' },
        { id: 'watched', ...without('bad'), deny: true, mode: 'shadow' },
        { id: 'later', 'default.regexReplace': { rule: 'a' }, async: true },
      ],
    });
    assert.deepEqual(
      notes?.filter((line) => line.includes('only reports')),
      ['changes', 'named'].map(
        (id) => `afterRequest: guardrail ${id}: on streams it only reports: stream_mode is after`,
      ),
    );
  });

  it('says what cannot look at what the route carries', async (t) => {
    const moderated = { model: 'm', input: 'x' };
    const list = [
      { ...without('bad') },
      { 'default.addPrefix': { prefix: 'P', applyToRole: 'user' }, type: 'mutator' },
    ];
    const { notes } = await explained(t, { input_guardrails: list }, '/v1/moderations', moderated);
    assert.deepEqual(notes, [
      'beforeRequest: guardrail input_guardrails_0 runs default.contains',
      'beforeRequest: mutator input_guardrails_1 runs default.addPrefix',
      'beforeRequest: default.addPrefix does not run on moderate: the request counts as passed',
      'afterRequest: guardrail named runs default.contains (denies)',
      'afterRequest: default.contains has nothing to look at on this route',
    ]);
  });

  it('says that nobody reads what passes on the proxy', async (t) => {
    const list = [without('bad', { on_error: 'deny' }), without('bad')];
    const { notes } = await explained(t, { input_guardrails: list }, '/v1/proxy/any', {});
    assert.deepEqual(
      notes?.filter((line) => line.includes('cannot')),
      [
        'beforeRequest: default.contains cannot read what passes on this route: the request counts as denied',
        'beforeRequest: default.contains cannot read what passes on this route: the request counts as passed',
        'afterRequest: default.contains cannot read what passes on this route: the request counts as denied',
      ],
    );
  });

  it('shows the denial itself, and what ran', async (t) => {
    const { answer, notes } = await explained(t, { input_guardrails: [{ ...without('x'), deny: true }] });
    assert.equal(answer?.status, 446);
    assert.equal(notes?.[0], 'beforeRequest: guardrail input_guardrails_0 runs default.contains (denies)');
  });

  it('shows why a guardrail cannot run at all', async (t) => {
    const { error } = await explained(t, { input_guardrails: [{ 'default.containz': {} }] });
    assert.deepEqual([error?.code, error?.param], ['invalid_config', 'input_guardrails[0].default.containz']);
  });
});
