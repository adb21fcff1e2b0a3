import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asArray, asObject, asObjects, type JsonObject, parseJson } from 'portcullis/sdk';
import { guarded, resultsOf, says, seenIn, textsIn, without } from '../plugins/guardrails/guarded.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { claude, target } from '../support/routed.ts';

noUnhandledRejections();

const swap = (from: string, to: string, more: JsonObject = {}) => ({ 'test-probe.swaps': { from, to, ...more } });
const sees = (more: JsonObject = {}) => ({ 'test-probe.sees': more });
const entries: readonly (readonly [boolean, number])[] = [
  [true, 446],
  [false, 246],
];

describe('each route', () => {
  const routes: readonly [string, JsonObject][] = [
    ['/v1/chat/completions', says('bad')],
    ['/v1/completions', { model: 'm', prompt: 'so bad' }],
    ['/v1/messages', says('bad', { max_tokens: 9 })],
    ['/v1/messages/count_tokens', says('bad')],
    ['/v1/responses', { model: 'm', input: [{ role: 'user', content: 'bad' }] }],
    ['/v1/embeddings', { model: 'm', input: ['good', 'bad'] }],
  ];
  for (const [path, body] of routes) {
    it(`of ${path} is guarded`, async (t) => {
      const { ask } = await guarded(t);
      for (const [deny, status] of entries) {
        const reply = await ask({ input_guardrails: [{ ...without('bad'), deny }] }, body, { path });
        assert.deepEqual([reply.status, resultsOf(reply)[0]?.verdict], [status, false], reply.text);
      }
    });
  }

  it('without texts skips checks of texts, and runs the others', async (t) => {
    const gateway = await guarded(t);
    const list = [{ ...without('bad'), deny: true }, { 'test-probe.needsNoText': {} }];
    const config = JSON.stringify({ provider: 'echo', input_guardrails: list, output_guardrails: list });
    const reply = await gateway.request('GET', '/v1/models', { headers: { 'x-gw-config': config } });
    assert.equal(reply.status, 246);
    for (const phase of ['before', 'after'] as const)
      assert.deepEqual(
        resultsOf(reply, phase).map(({ verdict, skipped }) => [verdict, skipped]),
        [
          [true, true],
          [false, undefined],
        ],
      );
  });

  it('of a stored response has what was stored looked at', async (t) => {
    const gateway = await guarded(t);
    const { json } = await gateway.ask({}, { model: 'm', input: 'so bad' }, { path: '/v1/responses' });
    for (const [deny, status] of entries) {
      const config = JSON.stringify({ provider: 'echo', output_guardrails: [{ ...without('bad'), deny }] });
      const reply = await gateway.request('GET', `/v1/responses/${String(json.id)}`, {
        headers: { 'x-gw-config': config },
      });
      assert.deepEqual([reply.status, resultsOf(reply, 'after')[0]?.verdict], [status, false], reply.text);
    }
  });

  it('of embeddings cannot have token ids looked at: that goes by the policy', async (t) => {
    const { ask } = await guarded(t);
    const body = { model: 'm', input: [1, 2, 3] };
    const status = async (parameters: JsonObject, deny: boolean) =>
      (await ask({ input_guardrails: [{ ...without('bad', parameters), deny }] }, body, { path: '/v1/embeddings' }))
        .status;
    assert.deepEqual(
      [
        await status({}, true),
        await status({}, false),
        await status({ on_error: 'deny' }, false),
        await status({ on_error: 'pass' }, true),
      ],
      [446, 200, 246, 200],
    );
  });

  it('of the proxy cannot be looked at either way: that goes by the policy', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: { fine: true } });
    const { ask } = await guarded(t);
    for (const list of ['input_guardrails', 'output_guardrails']) {
      const status = async (entry: JsonObject) => {
        const { status: given, text } = await ask(
          target(peer, { [list]: [entry] }),
          { any: 'bad' },
          { path: '/v1/proxy/things' },
        );
        return [given, text === '{"fine":true}'];
      };
      const check = { 'test-probe.sees': {} };
      assert.deepEqual(await status({ ...check, deny: true }), [446, false], list);
      assert.deepEqual(await status(check), [200, true], list);
      assert.deepEqual(await status({ 'test-probe.sees': { on_error: 'deny' } }), [246, true], list);
      assert.deepEqual(await status({ 'test-probe.needsNoText': {}, deny: true }), [446, false], list);
    }
    assert.equal(peer.requests.length, 2 + 4);
  });

  it('of the proxy without a body has nothing to look at', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: { fine: true } });
    const gateway = await guarded(t);
    const config = JSON.stringify(target(peer, { input_guardrails: [{ ...without('bad'), deny: true }] }));
    const reply = await gateway.request('GET', '/v1/proxy/things', { headers: { 'x-gw-config': config } });
    assert.deepEqual([reply.status, reply.text], [200, '{"fine":true}']);
  });

  it('of the proxy does not show its model and parameters: what blocks some goes by the policy', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: { fine: true } });
    const gateway = await guarded(t);
    const blocking: readonly JsonObject[] = [
      { 'default.modelWhitelist': { models: ['big'], not: true } },
      { 'default.modelRules': { rules: { defaults: ['big'] }, not: true } },
      { 'default.requestParametersCheck': { params: { blockedKeys: ['user'] } } },
    ];
    for (const check of blocking) {
      const headers = { 'x-gw-config': JSON.stringify(target(peer, { input_guardrails: [{ ...check, deny: true }] })) };
      const asked = await gateway.post('/v1/proxy/things', { model: 'big', user: 'a' }, headers);
      const looked = await gateway.request('GET', '/v1/proxy/things', { headers });
      assert.deepEqual([asked.status, looked.status], [446, 200], JSON.stringify(check));
      assert.match(asked.text, /passes? unread/);
    }
    assert.equal(peer.requests.length, blocking.length);
  });

  it('has a check that is not for it count as one without verdict', async (t) => {
    const { ask } = await guarded(t);
    const prefix = { 'default.addPrefix': { prefix: 'P ', applyToRole: 'user' } };
    const reply = await ask({ input_mutators: [prefix] }, { model: 'm', input: 'x' }, { path: '/v1/embeddings' });
    assert.equal(reply.status, 246);
    assert.match(JSON.stringify(resultsOf(reply)), /does not run on embed; it runs on chatComplete/);
  });
});

describe('the texts that a check looks at', () => {
  const history = [
    { role: 'system', content: 'rules' },
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'answer' },
    { role: 'user', content: 'a<system-reminder>hidden</system-reminder>b' },
  ];

  it('are those of the scope, without scaffolding where that is asked for', async (t) => {
    const { ask } = await guarded(t);
    const texts = async (more: JsonObject) =>
      textsIn(await ask({ input_guardrails: [sees(more)] }, { model: 'm', messages: history }));
    assert.deepEqual(await texts({}), ['a<system-reminder>hidden</system-reminder>b']);
    assert.deepEqual(await texts({ strip_scaffolding: true }), ['a', 'b']);
    assert.deepEqual(await texts({ scan_scope: 'user_messages', strip_scaffolding: true }), ['first', 'a', 'b']);
    assert.deepEqual(await texts({ scan_scope: 'all_messages', strip_scaffolding: true }), [
      'rules',
      'first',
      'answer',
      'a',
      'b',
    ]);
  });

  it('come with the whole conversation, whatever the scope', async (t) => {
    const { ask } = await guarded(t);
    const lists = { input_guardrails: [sees()], output_guardrails: [sees()] };
    const reply = await ask(lists, { model: 'm', messages: history });
    const turns = history.map(({ role, content: text }) => ({ role, text }));
    assert.deepEqual([seenIn(reply).turns, seenIn(reply).prompt], [turns, turns.at(-1)?.text]);
    const last = { role: 'assistant', text: turns.at(-1)?.text };
    assert.deepEqual([seenIn(reply, 'after').turns, seenIn(reply, 'after').prompt], [[...turns, last], last.text]);
  });

  it('come with headers and metadata, and with nothing that could be a credential', async (t) => {
    const { ask } = await guarded(t);
    const headers = {
      authorization: 'Bearer canary',
      cookie: 'canary',
      'x-gw-metadata': '{"team":"a"}',
      'x-my-token': 'canary',
      'x-tenant': 'ours',
    };
    const seen = seenIn(await ask({ input_guardrails: [sees()] }, says('x'), { headers }));
    assert.deepEqual([asObject(seen.metadata)?.team, asObject(seen.headers)?.['x-tenant']], ['a', 'ours']);
    assert.equal(JSON.stringify(seen).includes('canary'), false);
  });

  it('of a reply are those of every choice, and each can be edited', async (t) => {
    const { ask } = await guarded(t);
    const lists = { output_guardrails: [{ ...sees(), ...swap('secret', '[X]') }] };
    const reply = await ask(lists, says('the secret', { n: 2 }));
    assert.deepEqual(
      asArray(seenIn(reply, 'after').texts).map((text) => asObject(text)?.message),
      [0, 1],
    );
    assert.deepEqual(
      asObjects(reply.json.choices).map(({ message }) => asObject(message)?.content),
      ['the [X]', 'the [X]'],
    );
  });
});

describe('what is edited on its way to a provider', () => {
  const all = { scan_scope: 'all_messages' };

  it('in the chat format: arguments and results of tools, history and system prompt', async (t) => {
    const peer = await startPeer(t);
    const { ask } = await guarded(t);
    const messages = [
      { role: 'system', content: 'about Ada' },
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"who": "Ada"}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'found Ada' },
    ];
    const reply = await ask(target(peer, { input_guardrails: [swap('Ada', 'a "person"', all)] }), {
      model: 'm',
      messages,
    });
    assert.equal(reply.status, 200, reply.text);
    const sent = asObjects(peer.requests[0]?.body.messages);
    assert.deepEqual(
      [sent[0]?.content, sent[1], sent[3]?.content],
      ['about a "person"', messages[1], 'found a "person"'],
    );
    const given = asObject(asObject(asArray(sent[2]?.tool_calls)[0])?.function)?.arguments;
    assert.deepEqual(parseJson(String(given)), { who: 'a "person"' });
  });

  it('in the messages format: objects stay objects', async (t) => {
    const peer = await startPeer(t);
    const { ask } = await guarded(t);
    const body = {
      model: 'm',
      max_tokens: 9,
      system: 'about Ada',
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { who: 'Ada', n: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'found Ada' }] },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
    };
    const reply = await ask(claude(peer, { input_guardrails: [swap('Ada', 'a "person"', all)] }), body, {
      path: '/v1/messages',
    });
    assert.equal(reply.status, 200, reply.text);
    const sent = peer.requests[0]?.body ?? {};
    assert.deepEqual(sent, parseJson(JSON.stringify(body).replaceAll('Ada', 'a \\"person\\"')));
  });

  it('in the responses format: items of every kind', async (t) => {
    const peer = await startPeer(t);
    const { ask } = await guarded(t);
    const body = {
      model: 'm',
      instructions: 'about Ada',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'who is Ada?' }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"who":"Ada"}' },
        { type: 'function_call_output', call_id: 'c', output: 'found Ada' },
      ],
    };
    const reply = await ask(target(peer, { input_guardrails: [swap('Ada', '[NAME]', all)] }), body, {
      path: '/v1/responses',
    });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(peer.requests[0]?.body, parseJson(JSON.stringify(body).replaceAll('Ada', '[NAME]')));
  });
});

describe('what is edited on its way to the client', () => {
  const tool = { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] };

  it('keeps the arguments of tool calls what they are, in each format', async (t) => {
    const { ask } = await guarded(t);
    const lists = { output_guardrails: [{ ...swap('Ada', 'a "person"'), ...sees() }] };
    const chat = await ask(
      lists,
      says('Ada', { model: 'echo-tools', tools: [{ type: 'function', function: { name: 'f', parameters: tool } }] }),
    );
    const [choice] = asObjects(chat.json.choices);
    const given = asObject(asObject(asArray(asObject(choice?.message)?.tool_calls)[0])?.function)?.arguments;
    assert.deepEqual(
      [parseJson(String(given)), seenIn(chat, 'after').callsTools],
      [{ who: 'a "person"' }, true],
      chat.text,
    );
    const messages = await ask(
      lists,
      says('Ada', { model: 'echo-tools', max_tokens: 9, tools: [{ name: 'f', input_schema: tool }] }),
      { path: '/v1/messages' },
    );
    assert.deepEqual(
      asObjects(messages.json.content).map(({ input }) => input),
      [{ who: 'a "person"' }],
      messages.text,
    );
    const responses = await ask(
      lists,
      { model: 'echo-tools', input: 'Ada', tools: [{ type: 'function', name: 'f', parameters: tool }] },
      { path: '/v1/responses' },
    );
    const [call] = asObjects(responses.json.output);
    assert.deepEqual(parseJson(String(call?.arguments)), { who: 'a "person"' }, responses.text);
  });

  it('is edited in every format', async (t) => {
    const { ask } = await guarded(t);
    for (const [path, body] of [
      ['/v1/chat/completions', says('the secret')],
      ['/v1/completions', { model: 'm', prompt: 'the secret' }],
      ['/v1/messages', says('the secret', { max_tokens: 9 })],
      ['/v1/responses', { model: 'm', input: 'the secret' }],
    ] as const) {
      const reply = await ask({ output_guardrails: [swap('secret', '[X]')] }, body, { path });
      assert.equal(reply.status, 200);
      assert.deepEqual([reply.text.includes('the [X]'), reply.text.includes('secret')], [true, false], path);
    }
  });
});
