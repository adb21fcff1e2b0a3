import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { guarded, resultsOf, said, says, seenIn, textsIn, without } from '../plugins/guardrails/guarded.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

const swap = (from: string, to: string, more: JsonObject = {}) => ({ 'test-probe.swaps': { from, to }, ...more });
const sees = { 'test-probe.sees': {} };
const redact = (rule: string, redactText = '[X]') => ({ 'default.regexReplace': { rule, redactText } });

describe('the order of guardrails', () => {
  it('has those side by side look at the original text, and applies the edits of all of them', async (t) => {
    const { ask } = await guarded(t);
    const reply = await ask(
      {
        input_guardrails: [
          redact('\\d{3}-\\d{4} for ada'),
          { ...sees, ...redact('ada@example\\.com') },
          redact('for ada@'),
        ],
      },
      says('Call 555-1234 for ada@example.com now'),
    );
    assert.deepEqual(textsIn(reply), ['Call 555-1234 for ada@example.com now']);
    for (const gone of ['555', '1234', 'ada', '@', 'example']) assert.ok(!String(said(reply)).includes(gone), gone);
    assert.match(String(said(reply)), /^Call .* now$/);
    assert.deepEqual(
      resultsOf(reply).map(({ transformed, verdict }) => [transformed, verdict]),
      [
        [true, true],
        [true, true],
        [true, true],
      ],
    );
  });

  it('has checks of different scopes edit the same text together', async (t) => {
    const { ask } = await guarded(t);
    const all = { 'default.regexReplace': { rule: 'two three', redactText: '[A]', scan_scope: 'all_messages' } };
    const reply = await ask({ input_guardrails: [all, redact('one two')] }, says('one two three four'));
    for (const gone of ['one', 'two', 'three']) assert.ok(!String(said(reply)).includes(gone), gone);
  });

  it('has sequential ones see what those before them made, wherever they stand in the list', async (t) => {
    const { ask } = await guarded(t);
    const reply = await ask(
      {
        input_guardrails: [
          { id: 'first', ...swap('b', 'c'), sequential: true },
          { id: 'second', 'test-probe.swaps': { from: 'c', to: 'd' }, ...sees, sequential: true },
          { id: 'beside', ...swap('a', 'b') },
        ],
      },
      says('a'),
    );
    assert.deepEqual(
      resultsOf(reply).map(({ id }) => id),
      ['beside', 'first', 'second'],
    );
    assert.deepEqual([textsIn(reply), said(reply)], [['d'], 'd']);
  });

  it('has the checks of a sequential guardrail see each other, and those of any other not', async (t) => {
    const { ask } = await guarded(t);
    const checks = [{ id: 'test-probe.swaps', parameters: { from: 'a', to: 'b' } }, { id: 'test-probe.sees' }];
    for (const [sequential, seen] of [
      [true, ['b']],
      [false, ['a']],
    ] as const)
      assert.deepEqual(textsIn(await ask({ before_request_hooks: [{ checks, sequential }] }, says('a'))), seen);
  });

  it('has mutators run after all guardrails, in the order of their list', async (t) => {
    const { ask } = await guarded(t);
    const config = {
      input_mutators: [swap('a', 'b'), swap('b', 'c')],
      input_guardrails: [{ ...sees, sequential: true }],
    };
    const reply = await ask(config, says('a'));
    assert.deepEqual([textsIn(reply), said(reply)], [['a'], 'c']);
    assert.deepEqual(
      resultsOf(reply).map(({ type }) => type),
      ['guardrail', 'mutator', 'mutator'],
    );
    const turned = await ask({ ...config, input_mutators: config.input_mutators.toReversed() }, says('a'));
    assert.equal(said(turned), 'b');
  });

  it('is the same on the reply', async (t) => {
    const { ask } = await guarded(t);
    const reply = await ask(
      { output_guardrails: [{ ...sees, ...swap('a', 'b') }], output_mutators: [swap('b', 'c')] },
      says('a'),
    );
    assert.deepEqual([textsIn(reply, 'after'), said(reply)], [['a'], 'c']);
  });

  it('tells checks of what was changed before they look, and of nothing else', async (t) => {
    const { ask } = await guarded(t);
    const last = { ...sees, sequential: true };
    const edits = { ...swap('a', 'b'), sequential: true };
    const misses = { ...swap('x', 'y'), sequential: true };
    for (const [input, output, request, reply] of [
      [[last], [last], false, false],
      [[misses, last], [misses, last], false, false],
      [[edits, last], [last], true, false],
      [[last, edits], [last, { ...swap('b', 'c'), sequential: true }], true, false],
      [[last], [edits, last], false, true],
    ] as const) {
      const config = { input_guardrails: input, output_guardrails: output };
      const answer = await ask(config, says('a'));
      const before = { request: input[0] === edits, reply: false };
      assert.deepEqual(seenIn(answer).changed, before, JSON.stringify(config));
      assert.deepEqual(seenIn(answer, 'after').changed, { request, reply }, JSON.stringify(config));
    }
  });

  it('lets every guardrail that stands beside a denying one tell its verdict, and changes nothing', async (t) => {
    const { ask } = await guarded(t);
    const reply = await ask(
      { input_guardrails: [{ ...without('a'), deny: true }, { 'test-probe.later': {} }, swap('a', 'b')] },
      says('a'),
    );
    assert.equal(reply.status, 446);
    assert.deepEqual(
      resultsOf(reply).map(({ verdict }) => verdict),
      [false, true, true],
    );
  });

  it('ends with the first sequential guardrail that denies', async (t) => {
    const { ask } = await guarded(t);
    const lists = [
      { id: 'fails', ...without('a'), sequential: true, deny: true },
      { id: 'never', ...sees, sequential: true },
    ];
    const reply = await ask({ input_guardrails: lists }, says('a'));
    assert.deepEqual(
      resultsOf(reply).map(({ id }) => id),
      ['fails'],
    );
  });
});

describe('what reaches the provider', () => {
  const bytes = '{ "model":"m",  "messages":[{"role":"user","content":"\\u0041 \\/ B"}], "n" : 1e0 }';
  const sentWith = async (t: Parameters<typeof guarded>[0], lists: JsonObject) => {
    const peer = await startPeer(t);
    const { post } = await guarded(t);
    const config = JSON.stringify(target(peer, lists));
    const reply = await post('/v1/chat/completions', bytes, { 'x-gw-config': config });
    assert.equal(reply.status, 200, reply.text);
    return peer.requests[0]?.bytes.toString();
  };

  it('are the very bytes of the client where only the reply is guarded', async (t) => {
    assert.equal(await sentWith(t, { output_guardrails: [without('bad')] }), bytes);
  });

  it('are they too where guardrails have looked, and changed nothing', async (t) => {
    const lists = {
      input_guardrails: [without('bad'), swap('absent', 'x')],
      input_mutators: [swap('none', '')],
    };
    assert.equal(await sentWith(t, lists), bytes);
  });

  it('is the edited body, with all fields that nobody edited', async (t) => {
    const peer = await startPeer(t);
    const { ask } = await guarded(t);
    const body = says('the secret', { temperature: 0.5, metadata: { a: 'b' } });
    await ask(target(peer, { input_guardrails: [swap('secret', '[X]')] }), body);
    assert.deepEqual(peer.requests[0]?.body, { ...body, messages: [{ role: 'user', content: 'the [X]' }] });
  });

  it('is what override_params made, once guardrails have seen it', async (t) => {
    const peer = await startPeer(t);
    const { ask } = await guarded(t);
    const override_params = { messages: [{ role: 'user', content: 'bad override' }] };
    const reply = await ask(
      target(peer, { override_params, input_guardrails: [{ ...without('bad'), deny: true }] }),
      says('good'),
    );
    assert.deepEqual([reply.status, peer.requests.length], [446, 0]);
  });

  it('is looked at for each target, and not again for each retry', async (t) => {
    const [first, second] = [await startPeer(t), await startPeer(t)];
    first.always({ status: 500 });
    const { ask, records } = await guarded(t, {}, { sleep: async () => {} });
    const lists = { input_guardrails: [{ id: 'once', ...without('bad') }] };
    const reply = await ask({
      strategy: { mode: 'fallback' },
      ...lists,
      targets: [target(first, { retry: { attempts: 2 } }), target(second)],
    });
    assert.deepEqual([reply.status, first.requests.length, resultsOf(reply).length], [200, 3, 1]);
    const [record] = await records(1);
    assert.deepEqual(
      record?.guardrails?.map(({ id, target: path }) => [id, path]),
      [
        ['once', 'config.targets[0]'],
        ['once', 'config.targets[1]'],
      ],
    );
  });
});

describe('edits that cannot be applied', () => {
  const lists = (more: JsonObject) => ({
    input_guardrails: [{ 'test-probe.missesTheText': {}, ...more }, swap('a', 'b')],
  });

  it('count as a check without verdict, and those of other checks are applied all the same', async (t) => {
    const { ask } = await guarded(t);
    const reply = await ask(lists({}), says('a'));
    assert.deepEqual([reply.status, said(reply)], [200, 'b']);
    const [check] = asObjects(resultsOf(reply)[0]?.checks);
    assert.deepEqual(
      [check?.verdict, check?.transformed, asObject(check?.error)?.name],
      [false, false, 'check_failed'],
    );
  });

  it('deny where the guardrail denies', async (t) => {
    const { ask } = await guarded(t);
    for (const sequential of [false, true])
      assert.equal((await ask(lists({ deny: true, sequential }), says('a'))).status, 446);
  });

  it('of a mutator are told with 246', async (t) => {
    const { ask } = await guarded(t);
    const reply = await ask({ input_mutators: [{ 'test-probe.missesTheText': {} }, swap('a', 'b')] }, says('a'));
    assert.deepEqual([reply.status, said(reply)], [246, 'b']);
  });
});
