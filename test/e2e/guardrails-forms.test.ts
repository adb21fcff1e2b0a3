import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObjects, type JsonObject } from 'portcullis/sdk';
import { errorOf, guarded, guardrailUnits, resultsOf, said, says, without } from '../plugins/guardrails/guarded.ts';
import { startGateway } from '../support/gateway.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const swap = (from: string, to: string) => ({ 'test-probe.swaps': { from, to } });
const checkIds = (hook: JsonObject | undefined) => asObjects(hook?.checks).map(({ id }) => id);

describe('the forms of guardrails in a config', () => {
  it('takes hooks in the long form, with the id that they are given', async (t) => {
    const { ask } = await guarded(t);
    const parameters = { operator: 'none', words: ['bad'] };
    const hooks = [{ id: 'mine', type: 'guardrail', deny: true, checks: [{ id: 'default.contains', parameters }] }];
    for (const [list, phase] of [
      ['before_request_hooks', 'before'],
      ['after_request_hooks', 'after'],
    ] as const) {
      const reply = await ask({ [list]: hooks }, says('bad'));
      assert.equal(reply.status, 446, list);
      assert.deepEqual([resultsOf(reply, phase)[0]?.id, resultsOf(reply, phase)[0]?.type], ['mine', 'guardrail']);
    }
  });

  it('runs each list of shorthands in its phase', async (t) => {
    const { ask } = await guarded(t);
    for (const [list, phase, type] of [
      ['input_guardrails', 'before', 'guardrail'],
      ['default_input_guardrails', 'before', 'guardrail'],
      ['output_guardrails', 'after', 'guardrail'],
      ['default_output_guardrails', 'after', 'guardrail'],
      ['input_mutators', 'before', 'mutator'],
      ['output_mutators', 'after', 'mutator'],
    ] as const) {
      const reply = await ask({ [list]: [swap('old', 'new')] }, says('the old one'));
      const [result, ...others] = resultsOf(reply, phase);
      assert.deepEqual([result?.type, result?.id, others], [type, `${list}_0`, []], list);
      assert.deepEqual([reply.status, said(reply)], [200, 'the new one'], list);
    }
  });

  it('reads a key without a dot as a check of the unit default', async (t) => {
    const { ask } = await guarded(t);
    const reply = await ask({ input_guardrails: [{ contains: { operator: 'any', words: ['x'] } }] });
    assert.deepEqual(checkIds(resultsOf(reply)[0]), ['default.contains']);
  });

  it('runs one check twice when ids take the place of keys', async (t) => {
    const { ask } = await guarded(t);
    const words = (word: string, id?: string) => ({
      operator: 'none',
      words: [word],
      ...(id === undefined ? {} : { id }),
    });
    const reply = await ask(
      { input_guardrails: [{ contains: words('one'), second: words('two', 'default.contains'), deny: true }] },
      says('has two'),
    );
    assert.equal(reply.status, 446);
    assert.deepEqual(checkIds(resultsOf(reply)[0]), ['default.contains', 'default.contains']);
    assert.deepEqual(
      asObjects(resultsOf(reply)[0]?.checks).map(({ verdict }) => verdict),
      [true, false],
    );
  });

  for (const [what, entry] of [
    [
      'beside the parameters',
      { checks: [{ id: 'default.contains', is_enabled: false, parameters: { words: ['x'] } }] },
    ],
    ['among the parameters', { 'default.contains': { words: ['x'], is_enabled: false } }],
  ] as const) {
    it(`leaves out what is_enabled switches off ${what}, guardrail and all`, async (t) => {
      const { ask } = await guarded(t);
      const hook = { ...entry, deny: true, on_success: { feedback: {} } };
      const reply = await ask(
        { input_guardrails: [hook], output_guardrails: [hook], input_mutators: [entry] },
        says('y'),
      );
      assert.equal(reply.status, 200);
      assert.equal('hook_results' in reply.json, false);
    });
  }

  it('inherits lists to nested targets, and the own list of a target replaces them', async (t) => {
    const { ask } = await guarded(t);
    const config = (own: JsonObject) => ({
      strategy: { mode: 'fallback' },
      input_guardrails: [{ ...without('bad'), deny: true }],
      targets: [{ provider: 'echo', ...own }],
    });
    assert.equal((await ask(config({}), says('bad'))).status, 446);
    assert.equal((await ask(config({ input_guardrails: [without('other')] }), says('bad'))).status, 200);
  });
});

describe('a guardrail that could not run', () => {
  const refused: readonly [string, JsonObject, string, RegExp][] = [
    [
      'an unknown check',
      { input_guardrails: [{ 'default.containz': {} }] },
      'input_guardrails[0].default.containz',
      /default\.contains\?/,
    ],
    [
      'an unknown unit',
      { input_guardrails: [{ 'nobody.check': {} }] },
      'input_guardrails[0].nobody.check',
      /nobody\.check/,
    ],
    [
      'an unknown parameter',
      { input_guardrails: [{ contains: { words: ['x'], word: 1 } }] },
      'input_guardrails[0].contains.word',
      /words\?/,
    ],
    [
      'an unknown key in the long form',
      { before_request_hooks: [{ checks: [{ id: 'default.contains', parameters: { words: ['x'] } }], denies: true }] },
      'before_request_hooks[0].denies',
      /accepted are/,
    ],
    [
      'an unknown key of a check',
      { before_request_hooks: [{ checks: [{ id: 'default.contains', params: {} }] }] },
      'before_request_hooks[0].checks[0].params',
      /parameters/,
    ],
    [
      'a check without id',
      { before_request_hooks: [{ checks: [{}] }] },
      'before_request_hooks[0].checks[0].id',
      /required/,
    ],
    ['no check at all', { output_guardrails: [{ deny: true }] }, 'output_guardrails[0]', /names no check/],
    ['an empty list of checks', { output_guardrails: [{ checks: [] }] }, 'output_guardrails[0].checks', /1 to 100/],
    [
      'parameters that are no object',
      { input_guardrails: [{ contains: 'x' }] },
      'input_guardrails[0].contains',
      /object/,
    ],
    [
      'a check of requests on replies',
      { output_guardrails: [{ 'test-probe.requestsOnly': {} }] },
      'output_guardrails[0].test-probe.requestsOnly',
      /does not run on replies/,
    ],
    [
      'a check of requests on replies, in the long form',
      { output_guardrails: [{ checks: [{ id: 'test-probe.requestsOnly' }] }] },
      'output_guardrails[0].checks[0].id',
      /^`?output_guardrails\[0\]\.checks\[0\]\.id`? is test-probe\.requestsOnly, which does not run on replies/,
    ],
    [
      'a mutator that changes nothing, in the long form',
      { input_mutators: [{ checks: [{ id: 'default.contains', parameters: { words: ['x'] } }] }] },
      'input_mutators[0].checks[0].id',
      /changes nothing/,
    ],
    [
      'a mutator that changes nothing',
      { input_mutators: [{ contains: { words: ['x'] } }] },
      'input_mutators[0].contains',
      /changes nothing/,
    ],
    [
      'a mutator that denies',
      { input_mutators: [{ ...swap('a', 'b'), deny: true }] },
      'input_mutators[0].deny',
      /mutator/,
    ],
    [
      'a mutator that runs after the reply',
      { input_mutators: [{ ...swap('a', 'b'), async: true }] },
      'input_mutators[0].async',
      /mutator/,
    ],
    [
      'a denial after the reply',
      { input_guardrails: [{ ...without('x'), deny: true, async: true }] },
      'input_guardrails[0].async',
      /deny/,
    ],
    [
      'an error policy that is none',
      { input_guardrails: [without('x', { on_error: 'ignore' })] },
      'input_guardrails[0].default.contains.on_error',
      /deny, pass/,
    ],
    [
      'a scope that is none',
      { input_guardrails: [without('x', { scan_scope: 'all' })] },
      'input_guardrails[0].default.contains.scan_scope',
      /all_messages/,
    ],
    [
      'a scope for a check without texts',
      { input_guardrails: [{ 'test-probe.needsNoText': { scan_scope: 'all_messages' } }] },
      'input_guardrails[0].test-probe.needsNoText.scan_scope',
      /does not/,
    ],
    [
      'a time limit for a check that calls nobody',
      { input_guardrails: [without('x', { timeout: 5 })] },
      'input_guardrails[0].default.contains.timeout',
      /call out/,
    ],
    [
      'credentials for a check that takes none',
      { input_guardrails: [without('x', { credentials: {} })] },
      'input_guardrails[0].default.contains.credentials',
      /not needed/,
    ],
    [
      'a window beside another mode',
      { output_guardrails: [{ ...without('x'), stream_window: {} }] },
      'output_guardrails[0].stream_window',
      /stream_mode/,
    ],
    [
      'feedback out of bounds',
      { input_guardrails: [{ ...without('x'), on_fail: { feedback: { value: 11 } } }] },
      'input_guardrails[0].on_fail.feedback.value',
      /-10 to 10/,
    ],
    ['a saved guardrail that is not there', { input_guardrails: ['gone'] }, 'input_guardrails[0]', /"gone"/],
    [
      'code that came with the request',
      { input_guardrails: [{ 'custom.code': { code: 'export default () => ({ pass: true })' } }] },
      'input_guardrails[0]',
      /saved/,
    ],
    [
      'a fault deep inside',
      {
        strategy: { mode: 'fallback' },
        targets: [{ provider: 'echo' }, { provider: 'echo', input_guardrails: [{ nope: {} }] }],
      },
      'targets[1].input_guardrails[0].nope',
      /default\.nope/,
    ],
  ];
  for (const [what, config, param, message] of refused) {
    it(`is refused with its place: ${what}`, async (t) => {
      const { ask } = await guarded(t);
      const reply = await ask(config);
      const { code, param: named, message: text } = errorOf(reply);
      assert.deepEqual([reply.status, code, named], [400, 'invalid_config', param], reply.text);
      assert.match(String(text), message);
    });
  }

  it('stops the gateway from starting when a saved config names it', async (t) => {
    const main = { provider: 'echo', input_guardrails: [{ containz: {} }] };
    await assert.rejects(guarded(t, { configs: { main } }), {
      code: 'invalid_config',
      param: 'configs.main.input_guardrails[0].containz',
    });
  });

  it('stops the gateway from starting when a guardrail of the file has a fault', async (t) => {
    const checks = [{ id: 'default.contains', parameters: { words: 'x' } }];
    await assert.rejects(guarded(t, { guardrails: { words: { checks, actions: {} } } }), {
      code: 'invalid_config',
      message: /guardrails\.words: checks\[0\]\.parameters: words must be/,
    });
  });

  it('stops the gateway from starting when code of the file does not compile', async (t) => {
    const checks = [{ id: 'custom.code', parameters: { code: 'export default (input => {' } }];
    await assert.rejects(guarded(t, { guardrails: { own: { checks, actions: {} } } }), {
      code: 'invalid_config',
      message: /guardrails\.own: checks\[0\]\.parameters\.code: /,
    });
  });

  it('stops the gateway from starting when a config puts a guardrail of the file where it cannot run', async (t) => {
    const guardrails = { early: { checks: [{ id: 'test-probe.requestsOnly', parameters: {} }], actions: {} } };
    const main = { provider: 'echo', output_guardrails: ['early'] };
    await assert.rejects(guarded(t, { guardrails, configs: { main } }), (error: Error) => {
      assert.match(error.message, /does not run on replies/);
      return true;
    });
  });

  it('stops the gateway from starting when credentials of the file do not fit', async (t) => {
    await assert.rejects(guarded(t, { guardrailCredentials: { 'test-vendor': { token: 'x' } } }), {
      code: 'invalid_config',
      message: /guardrail_credentials\.test-vendor: apiKey/,
    });
  });

  it('is let in with code of its own by the configs of the operator', async (t) => {
    const code = "export default ({ text }) => ({ pass: !text.includes('bad'), why: 'own code' })";
    const main = { provider: 'echo', input_guardrails: [{ 'custom.code': { code }, deny: true }] };
    const gateway = await startGateway(t, {
      pluginFolders: [{ path: guardrailUnits, trust: 'trusted', requireSignature: false }],
      configs: { main },
      defaultConfig: 'main',
    });
    assert.equal((await gateway.post('/v1/chat/completions', says('good'))).status, 200);
    assert.equal((await gateway.post('/v1/chat/completions', says('bad'))).status, 446);
  });
});
