import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { asObject, asObjects, dialects, type JsonObject, parseJson } from 'portcullis/sdk';
import { answeredByFlow, askedOfFlow } from '../../core/upstream/flow-embeddings.ts';
import { guarded, resultsOf, without } from '../plugins/guardrails/guarded.ts';
import { startControl } from '../support/control.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const says = (content: string, more: JsonObject = {}): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...more,
});
const reply = (text: string): JsonObject => ({
  id: 'r1',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
  finish_reason: 'COMPLETE',
  usage: { tokens: { input_tokens: 8, output_tokens: 3 } },
});
const event = (data: JsonObject) => `event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`;
const events = (...texts: string[]): readonly string[] =>
  [
    { type: 'message-start', id: 'r1', delta: { message: { role: 'assistant' } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    ...texts.map((text) => ({ type: 'content-delta', index: 0, delta: { message: { content: { text } } } })),
    { type: 'content-end', index: 0 },
    { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
  ].map(event);

async function world(t: TestContext) {
  const peer = await startPeer(t);
  const gateway = await guarded(t);
  const ask = (
    config: JsonObject,
    body: JsonObject,
    path = '/v2/chat',
    headers: Readonly<Record<string, string>> = {},
  ) => gateway.ask({ provider: 'cohere', api_key: 'k', custom_host: peer.origin, ...config }, body, { path, headers });
  return { peer, gateway, ask };
}

const input = { input_guardrails: [{ ...without('secret', { scan_scope: 'all_messages' }), deny: true }] };
const mask = { 'default.regexReplace': { rule: 'sw[a-z]+sh', redactText: '*****', scan_scope: 'all_messages' } };

describe('guardrails of the second version', () => {
  const bodies: readonly (readonly [path: string, body: JsonObject])[] = [
    ['/v2/chat', says('a secret')],
    ['/v2/chat', says('x', { documents: ['a secret'] })],
    ['/v2/chat', says('x', { documents: [{ id: 'd', data: { text: 'a secret' } }] })],
    ['/v2/chat', { model: 'm', messages: [{ role: 'assistant', tool_plan: 'a secret' }] }],
    ['/v1/chat/completions', says('x', { documents: [{ data: { snippet: 'a secret' } }] })],
    ['/v2/embed', { model: 'm', texts: ['x', 'a secret'], input_type: 'search_query' }],
    ['/v2/embed', { model: 'm', inputs: [{ content: [{ type: 'text', text: 'a secret' }] }] }],
    ['/v2/rerank', { model: 'm', query: 'x', documents: ['a secret'] }],
  ];
  for (const [path, body] of bodies) {
    it(`see ${JSON.stringify(body)} on ${path}`, async (t) => {
      const { peer, ask } = await world(t);
      const denied = await ask(input, body, path);
      assert.deepEqual([denied.status, resultsOf(denied)[0]?.verdict], [446, false], denied.text);
      if (path !== '/v1/chat/completions') assert.equal(typeof denied.json.message, 'string');
      assert.equal(peer.requests.length, 0);
    });
  }

  it('deny a reply, edit it, and say a soft denial', async (t) => {
    const { peer, ask } = await world(t);
    peer.always({ body: reply('a secret swordfish') });
    const denied = await ask({ output_guardrails: [{ ...without('secret'), deny: true }] }, says('x'));
    assert.equal(denied.status, 446, denied.text);
    const edited = await ask({ output_mutators: [mask] }, says('x'));
    const content = asObjects(asObject(edited.json.message)?.content);
    assert.deepEqual([edited.status, content[0]?.text], [200, 'a secret *****']);
    const soft = { ...without('secret', { soft_deny_200: true }), deny: true, message: 'Not that.' };
    const told = await ask({ input_guardrails: [soft] }, says('a secret'));
    assert.deepEqual([told.status, asObjects(asObject(told.json.message)?.content)[0]?.text], [200, 'Not that.']);
    assert.doesNotMatch(String(told.json.id), /undefined/);
  });

  it('edit a stream, and tell of it before its last event', async (t) => {
    const { peer, ask } = await world(t);
    const texts = ['Good day to you, this is a friendly answer, long enough. ', 'It is sword', 'fish.'];
    peer.always({ events: events(...texts) });
    const window = { stream_mode: 'window', stream_window: { tokens: 8, ms: 10_000, overlap_tokens: 3 } };
    const { status, text } = await ask(
      { output_mutators: [{ ...mask, ...window }] },
      says('x', { stream: true }),
      '/v2/chat',
      {
        'x-gw-strict-compliance': 'false',
      },
    );
    const sent = asObjects(text.split('\n').map((line) => parseJson(line.replace(/^data: /, '')) ?? null));
    const said = sent.map(({ delta }) => asObject(asObject(asObject(delta)?.message)?.content)?.text ?? '').join('');
    assert.deepEqual([status, said], [200, texts.join('').replace('swordfish', '*****')]);
    assert.deepEqual(
      sent.slice(-2).map(({ type }) => type),
      ['hook_results', 'message-end'],
    );
  });
});

describe('the routes of the second version', () => {
  it('refuse in the words of their format', async (t) => {
    const { ask, gateway } = await world(t);
    const refused: readonly (readonly [path: string, body: JsonObject, says: RegExp])[] = [
      ['/v2/chat', { model: 'm' }, /^messages is required/],
      ['/v2/chat', says('x', { tool_choice: 'auto' }), /^tool_choice must be "REQUIRED"/],
      ['/v2/chat', says('x', { k: 501 }), /^k must be/],
      ['/v2/embed', { model: 'm', input_type: 'x' }, /^texts is required/],
      ['/v2/rerank', { model: 'm', documents: ['x'] }, /^query is required/],
    ];
    for (const [path, body, words] of refused) {
      const { status, json } = await ask({}, body, path);
      assert.equal(status, 400);
      assert.match(String(json.message), words);
    }
    const wrong = await gateway.request('GET', '/v2/chat');
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST']);
  });

  it('leave the control plane its own below the same version', async (t) => {
    const control = await startControl(t);
    const ask = async (path: string) => (await fetch(control.url + path)).status;
    assert.deepEqual([await ask('/v2/chat'), await ask('/v2/chat/x')], [405, 404]);
    assert.equal(await ask('/v2/prompts'), await ask('/v1/prompts'));
  });
});

describe('a flow that embeds', () => {
  const { embeddings } = dialects;
  const chosen = { endpoint: 'embed', spec: { path: '/x', dialect: 'embeddings' }, dialect: embeddings } as const;
  const context = (request: JsonObject) => () => ({
    strict: true,
    dropped: () => {},
    request,
    newId: (prefix: string) => prefix,
    nowSeconds: () => 0,
  });

  it('is asked in its own format, and its answer told in that of the client', () => {
    const answer = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1, 2] }], model: 'm' };
    const asked = { model: 'm', texts: ['a'], input_type: 'search_query' };
    const of = { dialect: 'cohere-embeddings', context: context(asked) } as const;
    assert.deepEqual(askedOfFlow({ chosen, asked }, of), { model: 'm', input: 'a', input_type: 'search_query' });
    assert.deepEqual(asObject(answeredByFlow(answer, { chosen, asked }, of).embeddings)?.float, [[1, 2]]);
    const content = { model: 'm', content: { parts: [{ text: 'a' }] } };
    const single = { dialect: 'gemini-embeddings', context: context(content) } as const;
    assert.deepEqual(answeredByFlow(answer, { chosen, asked: content }, single).embedding, { values: [1, 2] });
  });

  it('is left alone by clients of its own format', () => {
    const asked = { model: 'm', input: 'a' };
    const own = { dialect: 'embeddings', context: context(asked) } as const;
    assert.equal(askedOfFlow({ chosen, asked }, own), asked);
    assert.equal(answeredByFlow(asked, { chosen, asked }, own), asked);
  });
});
