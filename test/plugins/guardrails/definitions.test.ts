import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Checks, HookField, JsonObject } from 'portcullis/sdk';
import { createChecks } from '../../../core/checks/registry.ts';
import { readActions, shownActions } from '../../../plugins/guardrails/definition/actions.ts';
import { places, readChecks } from '../../../plugins/guardrails/definition/form.ts';
import { inlineHook, savedHook } from '../../../plugins/guardrails/definition/hooks.ts';
import { acceptSaved, phasesOf, readSaved } from '../../../plugins/guardrails/definition/saved.ts';
import { recordingLog } from '../../support/recording-log.ts';
import probe from './units/test-probe/index.ts';
import vendor from './units/test-vendor/index.ts';

const never = () => assert.fail('Nobody asks for this.');
const manifest = (name: string) => ({ name, kind: 'guardrail' as const, version: '1.0.0', sdk: '^1.0.0', title: name });
const checks: Checks = createChecks(
  [
    { manifest: manifest('test-probe'), trust: 'trusted', definition: probe },
    { manifest: manifest('test-vendor'), trust: 'trusted', definition: vendor },
  ],
  { log: () => recordingLog().log, now: () => 0, send: never, ask: never, code: never },
);
const sees = { id: 'test-probe.sees' };
const entryOf = (value: JsonObject, source: HookField = 'input_guardrails') => ({
  source,
  path: `config.targets[1].${source}[2]`,
  value,
});
const hookOf = (value: JsonObject, source?: HookField) => inlineHook(entryOf(value, source), value, checks);

describe('the actions of a guardrail', () => {
  it('have defaults', () => {
    assert.deepEqual(readActions({}, 'actions'), {
      deny: false,
      async: false,
      sequential: false,
      shadow: false,
      onSuccess: undefined,
      onFail: undefined,
      versionId: undefined,
      stream: { mode: 'after', tokens: 128, ms: 500, overlap: 32 },
      message: undefined,
    });
  });

  const read: readonly [string, JsonObject, string, unknown][] = [
    ['a word that blocks denies', { onFail: 'block' }, 'deny', true],
    ['a word that logs does not deny', { on_fail: 'log' }, 'deny', false],
    ['deny says more than a word', { on_fail: 'block', deny: false }, 'deny', false],
    ['null is the default', { deny: null, async: null, mode: null, message: null }, 'deny', false],
    ['success feeds back 5', { on_success: { feedback: {} } }, 'onSuccess', { value: 5, weight: 1, metadata: {} }],
    ['failure feeds back -5', { on_fail: { feedback: {} } }, 'onFail', { value: -5, weight: 1, metadata: {} }],
    ['no feedback is none', { on_fail: {} }, 'onFail', undefined],
    [
      'metadata may be JSON',
      { on_fail: { feedback: { metadata: '{"a":"b"}' } } },
      'onFail',
      { value: -5, weight: 1, metadata: { a: 'b' } },
    ],
    [
      'metadata may be empty',
      { on_fail: { feedback: { metadata: '' } } },
      'onFail',
      { value: -5, weight: 1, metadata: {} },
    ],
    ['shadow is a mode', { mode: 'shadow' }, 'shadow', true],
    [
      'a window has bounds of its own',
      { stream_mode: 'window', stream_window: { tokens: 8, ms: 10, overlap_tokens: 0 } },
      'stream',
      { mode: 'window', tokens: 8, ms: 10, overlap: 0 },
    ],
    [
      'a small window overlaps by itself',
      { stream_mode: 'window', stream_window: { tokens: 16 } },
      'stream',
      { mode: 'window', tokens: 16, ms: 500, overlap: 16 },
    ],
  ];
  for (const [what, given, field, expected] of read) {
    it(`are read: ${what}`, () => {
      const actions: Readonly<Record<string, unknown>> = { ...readActions(given, 'actions') };
      assert.deepEqual(actions[field], expected);
    });
  }

  const refused: readonly [JsonObject, string][] = [
    [{ denies: true }, 'actions.denies'],
    [{ deny: 'true' }, 'actions.deny'],
    [{ deny: true, async: true }, 'actions.async'],
    [{ on_fail: 'explode' }, 'actions.on_fail'],
    [{ on_fail: { feedback: { value: 11 } } }, 'actions.on_fail.feedback.value'],
    [{ on_fail: { feedback: { weight: -1 } } }, 'actions.on_fail.feedback.weight'],
    [{ on_fail: { feedback: { score: 1 } } }, 'actions.on_fail.feedback.score'],
    [{ on_fail: { feedback: { metadata: { a: 1 } } } }, 'actions.on_fail.feedback.metadata'],
    [{ on_fail: { feedback: { metadata: '[1]' } } }, 'actions.on_fail.feedback.metadata'],
    [{ on_success: { webhook: {} } }, 'actions.on_success.webhook'],
    [{ mode: 'silent' }, 'actions.mode'],
    [{ stream_mode: 'always' }, 'actions.stream_mode'],
    [{ stream_window: { tokens: 8 } }, 'actions.stream_window'],
    [{ stream_mode: 'window', stream_window: { tokens: 7 } }, 'actions.stream_window.tokens'],
    [{ stream_mode: 'window', stream_window: { tokens: 8.5 } }, 'actions.stream_window.tokens'],
    [{ stream_mode: 'window', stream_window: { size: 1 } }, 'actions.stream_window.size'],
    [{ message: '' }, 'actions.message'],
    [{ message: 'x'.repeat(4097) }, 'actions.message'],
  ];
  for (const [given, param] of refused) {
    it(`are refused with the field: ${param} of ${JSON.stringify(given).slice(0, 80)}`, () => {
      assert.throws(() => readActions(given, 'actions'), { code: 'invalid_config', param });
    });
  }

  it('are stored with their defaults, and read again as the same', () => {
    const given = {
      deny: true,
      on_fail: { feedback: { value: -1 } },
      stream_mode: 'window',
      stream_window: { ms: 20 },
      message: 'No.',
    };
    const actions = readActions(given, 'actions');
    assert.deepEqual(readActions(shownActions(actions), 'actions'), actions);
  });
});

describe('a guardrail that stands in a config', () => {
  it('has the name of its place unless it is given one', () => {
    assert.equal(hookOf({ 'test-probe.sees': {} }).id, 'input_guardrails_2');
    assert.equal(hookOf({ id: 'mine', 'test-probe.sees': {} }).id, 'mine');
  });

  it('may say itself whether it judges or changes', () => {
    const swaps = { 'test-probe.swaps': { from: 'a', to: 'b' } };
    assert.equal(hookOf({ ...swaps, type: 'mutator' }).type, 'mutator');
    assert.equal(hookOf({ ...swaps, type: 'guardrail' }, 'input_mutators').type, 'guardrail');
  });

  it('has its checks deny without a verdict when it denies itself, unless one says otherwise', () => {
    const policies = (value: JsonObject) => hookOf(value).checks.map(({ onError }) => onError);
    assert.deepEqual(policies({ 'test-probe.sees': {} }), ['pass']);
    assert.deepEqual(policies({ 'test-probe.sees': {}, deny: true }), ['deny']);
    assert.deepEqual(policies({ 'test-probe.sees': { on_error: 'pass' }, deny: true }), ['pass']);
    assert.deepEqual(policies({ 'test-probe.sees': { failOnError: true } }), ['deny']);
    assert.deepEqual(policies({ 'test-probe.sees': { failOnError: true, on_error: 'pass' } }), ['pass']);
  });

  it('gives a check that calls out its own time, headers and credentials', () => {
    const parameters = {
      url: 'http://127.0.0.1/',
      timeout: 70,
      forwardHeaders: ['X-Tenant'],
      credentials: { apiKey: 'k' },
    };
    const [check] = hookOf({ 'test-vendor.scan': parameters }).checks;
    assert.deepEqual(
      [check?.timeoutMs, check?.forwardHeaders, check?.credentials],
      [70, ['x-tenant'], { apiKey: 'k' }],
    );
    const [standard] = hookOf({ 'test-vendor.scan': { url: 'http://127.0.0.1/' } }).checks;
    assert.deepEqual([standard?.timeoutMs, standard?.forwardHeaders, standard?.credentials], [20_000, [], undefined]);
  });

  for (const [timeout, param] of [
    [0, 'targets[1].input_guardrails[2].test-vendor.scan.timeout'],
    [60_001, 'targets[1].input_guardrails[2].test-vendor.scan.timeout'],
  ] as const) {
    it(`refuses a time limit of ${timeout}`, () => {
      assert.throws(() => hookOf({ 'test-vendor.scan': { url: 'x', timeout } }), { code: 'invalid_config', param });
    });
  }
});

describe('a guardrail that is saved', () => {
  const saved = (given: readonly JsonObject[], actions: JsonObject = {}) =>
    readSaved({ checks: [...given], actions }, checks);

  it('is stored as its checks came, with all defaults of its actions', () => {
    const given = [{ ...sees, parameters: { scan_scope: 'all_messages' }, name: 'Mine' }];
    assert.deepEqual(saved(given, { deny: true }), {
      checks: given,
      actions: {
        deny: true,
        async: false,
        sequential: false,
        mode: 'enforce',
        on_success: {},
        on_fail: {},
        stream_mode: 'after',
      },
    });
  });

  it('is refused with the place of the fault', () => {
    for (const [given, param] of [
      [[{ ...sees, parameters: { what: 1 } }], 'checks[0].parameters.what'],
      [[sees, { id: 'test-probe.none' }], 'checks[1].id'],
      [[], 'checks'],
      [[{ ...sees, more: 1 }], 'checks[0].more'],
      [[{ ...sees, is_enabled: 'yes' }], 'checks[0].is_enabled'],
      [[{ ...sees, soft_deny_200: 1 }], 'checks[0].soft_deny_200'],
      [[{ ...sees, on_error: 'ignore' }], 'checks[0].on_error'],
      [[{ ...sees, parameters: { on_error: 'ignore' } }], 'checks[0].parameters.on_error'],
    ] as const)
      assert.throws(() => saved(given), { code: 'invalid_config', param }, param);
    assert.throws(() => saved([sees], { deny: 1 }), { code: 'invalid_config', param: 'actions.deny' });
  });

  it('can run where all of its checks can', () => {
    const forms = (...ids: string[]) =>
      readChecks(
        ids.map((id) => ({ id })),
        'checks',
      );
    assert.deepEqual(phasesOf(forms('test-probe.sees'), false, checks), ['beforeRequest', 'afterRequest']);
    assert.deepEqual(phasesOf(forms('test-probe.sees', 'test-probe.requestsOnly'), false, checks), ['beforeRequest']);
  });

  it('takes the place that a config gives it', () => {
    const entry = { slug: 'own', checks: [sees], actions: { deny: true, async: false }, versionId: 'v1' };
    const hook = savedHook(entry, places.output_guardrails, checks);
    assert.deepEqual([hook.id, hook.deny, hook.versionId, hook.type], ['own', true, 'v1', 'guardrail']);
    const swaps = [{ id: 'test-probe.swaps', parameters: { from: 'a', to: 'b' } }];
    const mutator = savedHook({ ...entry, checks: swaps }, places.input_mutators, checks);
    assert.deepEqual([mutator.type, mutator.deny], ['mutator', false]);
    assert.throws(
      () => savedHook({ ...entry, checks: [{ id: 'test-probe.requestsOnly' }] }, places.output_guardrails, checks),
      {
        code: 'invalid_config',
      },
    );
  });

  it('has its checks look deeper before it is stored', async () => {
    await acceptSaved(saved([sees]), checks, { principal: { id: 'p', kind: 'key' } });
  });
});
