import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, asString, type JsonObject } from 'portcullis/sdk';
import { cachedGateway, completion, statusOf } from '../plugins/cache/serving.ts';
import { guarded, says, without } from '../plugins/guardrails/guarded.ts';
import { saved } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

const said = ({ json }: { readonly json: JsonObject }) =>
  asString(asObject(asObjects(json.choices)[0]?.message)?.content);
const refresh = { 'x-gw-cache-force-refresh': 'true' };

describe('a target with a cache rule', () => {
  it('is called once for equal requests', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    const config = target(peer, { cache: 'simple' });
    const replies = [await ask(config), await ask(config), await ask(config)];
    assert.deepEqual(replies.map(statusOf), ['MISS', 'HIT', 'HIT']);
    assert.deepEqual(replies.map(said), ['reply 1', 'reply 1', 'reply 1']);
    assert.equal(peer.requests.length, 1);
    assert.equal(replies[1]?.headers.get('content-type'), replies[0]?.headers.get('content-type'));
    assert.equal(replies[1]?.headers.get('x-gw-provider'), 'openai');
  });

  it('is called again for a refresh, whose reply is the one that is kept', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    const config = target(peer, { cache: { mode: 'simple', max_age: 60 } });
    const replies = [await ask(config), await ask(config, says('x'), refresh), await ask(config)];
    assert.deepEqual(replies.map(statusOf), ['MISS', 'REFRESH', 'HIT']);
    assert.deepEqual(replies.map(said), ['reply 1', 'reply 2', 'reply 2']);
  });

  it('says how the cache was met where the provider has given no reply', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    const config = { ...target(peer, { cache: 'simple' }), request_timeout: 50 };
    peer.next({ before: 'never' }, { before: 'never' }, { events: [], ending: 'cut', upTo: 0 });
    const replies = [await ask(config), await ask(config, says('x'), refresh), await ask(config)];
    assert.deepEqual(
      replies.map((reply) => [reply.status, statusOf(reply)]),
      [
        [408, 'MISS'],
        [408, 'REFRESH'],
        [502, 'MISS'],
      ],
    );
  });

  it('is called again when the age of the rule is over', async (t) => {
    let now = Date.now();
    const { ask, peer } = await cachedGateway(t, {}, { now: () => now });
    const config = target(peer, { cache: { mode: 'simple', max_age: 60 } });
    await ask(config);
    now += 59_000;
    assert.equal(statusOf(await ask(config)), 'HIT');
    now += 1_001;
    assert.equal(statusOf(await ask(config)), 'MISS');
  });

  it('takes max_age in seconds, 60 to 7776000', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    for (const [age, status] of [
      [59, 400],
      [60, 200],
      [7_776_000, 200],
      [7_776_001, 400],
    ] as const)
      assert.equal((await ask(target(peer, { cache: { mode: 'simple', max_age: age } }))).status, status);
  });

  it('keeps no error, and shows the next caller the answer', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    const config = target(peer, { cache: 'simple' });
    peer.next({ status: 429, body: { error: { message: 'slow down' } } }, { body: { error: { message: 'oh' } } });
    const replies = [await ask(config), await ask(config), await ask(config), await ask(config)];
    assert.deepEqual(
      replies.map(({ status }) => status >= 400),
      [true, true, false, false],
    );
    assert.deepEqual(replies.map(statusOf), ['MISS', 'MISS', 'MISS', 'HIT']);
  });

  it('keeps the reply of the try that went well', async (t) => {
    const { ask, peer } = await cachedGateway(t, {}, { sleep: async () => {} });
    const config = target(peer, { cache: 'simple', retry: { attempts: 2 } });
    peer.next({ status: 500, body: { error: { message: 'oh' } } });
    const first = await ask(config);
    const second = await ask(config);
    assert.deepEqual([said(first), statusOf(second), said(second)], ['reply 1', 'HIT', 'reply 1']);
  });

  const different: readonly [string, JsonObject, JsonObject, Readonly<Record<string, string>>?][] = [
    ['another message', { cache: 'simple' }, says('y')],
    ['another parameter', { cache: 'simple' }, says('x', { temperature: 1 })],
    ['a parameter that the config sets', { cache: 'simple', override_params: { temperature: 1 } }, says('x')],
    ['another credential', { cache: 'simple', api_key: 'other' }, says('x')],
    ['metadata', { cache: 'simple' }, says('x'), { 'x-gw-metadata': '{"a":"b"}' }],
    ['a namespace', { cache: 'simple' }, says('x'), { 'x-gw-cache-namespace': 'n' }],
    ['another strictness', { cache: 'simple' }, says('x'), { 'x-gw-strict-compliance': 'false' }],
  ];
  for (const [what, more, body, headers] of different) {
    it(`is called again for ${what}`, async (t) => {
      const { ask, peer } = await cachedGateway(t);
      await ask(target(peer, { cache: 'simple' }));
      assert.equal(statusOf(await ask(target(peer, more), body, headers)), 'MISS');
      assert.equal(statusOf(await ask(target(peer, more), body, headers)), 'HIT');
    });
  }

  it('is another for the caller whose own credential it uses', async (t) => {
    const { ask, peer } = await cachedGateway(t, { server: { trustedHosts: ['127.0.0.1'] } });
    const config = { provider: 'openai', custom_host: `${peer.origin}/v1`, cache: 'simple' };
    const as = (token: string) => ask(config, says('x'), { authorization: `Bearer ${token}` });
    assert.deepEqual([await as('a'), await as('b'), await as('a'), await as('b')].map(statusOf), [
      'MISS',
      'MISS',
      'HIT',
      'HIT',
    ]);
  });

  it('may be one of several, each with replies of its own', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    const away = await startPeer(t);
    away.always({ status: 503, body: { error: { message: 'away' } } });
    const config = {
      strategy: { mode: 'fallback' },
      cache: 'simple',
      targets: [target(away), target(peer)],
    };
    const replies = [await ask(config), await ask(config)];
    assert.deepEqual(replies.map(statusOf), ['MISS', 'HIT']);
    assert.deepEqual([away.requests.length, peer.requests.length], [2, 1]);
    assert.equal(replies[1]?.headers.get('x-gw-last-used-option-index'), 'config.targets[1]');
  });

  it('costs nothing where there is no rule: nothing is said, unless the cache was named', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    assert.equal(statusOf(await ask(target(peer))), null);
    assert.equal(statusOf(await ask(target(peer), says('x'), refresh)), 'DISABLED');
    assert.equal(peer.requests.length, 2);
  });
});

describe('a reply out of the cache', () => {
  it('passes the guardrails of the request that gets it, not of the one that made it', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    const open = target(peer, { cache: 'simple' });
    const guarded = { ...open, output_guardrails: [{ ...without('reply'), deny: true }] };
    assert.equal((await ask(open)).status, 200);
    assert.equal((await ask(guarded)).status, 446);
    assert.deepEqual([statusOf(await ask(open)), peer.requests.length], ['HIT', 1]);
  });

  it('is what the provider said: a denial keeps nobody else from it, and an edit is made anew', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    const open = target(peer, { cache: 'simple' });
    const masking = (redactText: string) => ({
      ...open,
      output_mutators: [{ 'default.regexReplace': { rule: 'reply', redactText } }],
    });
    assert.equal((await ask({ ...open, output_guardrails: [{ ...without('reply'), deny: true }] })).status, 446);
    assert.equal(said(await ask(masking('[A]'))), '[A] 1');
    assert.equal(said(await ask(masking('[B]'))), '[B] 1');
    assert.equal(said(await ask(open)), 'reply 1');
    assert.equal(peer.requests.length, 1);
  });

  for (const denial of ['hard', 'soft']) {
    it(`costs nothing, and says where it came from, where a ${denial} denial takes its place`, async (t) => {
      const peer = await startPeer(t);
      peer.always({ body: { ...completion('reply'), model: 'gpt-4o' } });
      const { ask, records } = await guarded(t);
      const check = without('reply', { soft_deny_200: denial === 'soft' });
      const config = target(peer, { cache: 'simple', output_guardrails: [{ ...check, deny: true }] });
      const body = { ...says('x'), model: 'gpt-4o' };
      const replies = [await ask(config, body), await ask(config, body)];
      assert.deepEqual(replies.map(statusOf), ['MISS', 'HIT']);
      const [first, second] = await records(2);
      assert.deepEqual([first?.cache, second?.cache, second?.error], ['MISS', 'HIT', 'guardrail_denied']);
      assert.ok((first?.cost?.nanoUsd ?? 0) > 0);
      assert.equal(second?.cost?.nanoUsd, 0);
      assert.equal(second?.savedNanoUsd, first?.cost?.nanoUsd);
    });
  }

  it('is not given past a guardrail on the request', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    const open = target(peer, { cache: 'simple' });
    await ask(open, says('bad'));
    const reply = await ask({ ...open, input_guardrails: [{ ...without('bad'), deny: true }] }, says('bad'));
    assert.equal(reply.status, 446);
  });

  it('belongs to the request that left, after its mutators', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    const masking = target(peer, {
      cache: 'simple',
      input_mutators: [{ 'default.regexReplace': { rule: '[0-9]+', redactText: '#' } }],
    });
    assert.deepEqual([await ask(masking, says('call 12')), await ask(masking, says('call 34'))].map(statusOf), [
      'MISS',
      'HIT',
    ]);
    assert.equal(statusOf(await ask(target(peer, { cache: 'simple' }), says('call 12'))), 'MISS');
  });
});

describe('a semantic rule', () => {
  it('finds what means the same, by a model of the gateway', async (t) => {
    const vectors = await startPeer(t);
    vectors.always(({ body }) => ({
      body: {
        object: 'list',
        model: 'text-small',
        data: [
          { object: 'embedding', index: 0, embedding: /France/.test(String(body.input)) ? [0.6, 0.8] : [0.8, -0.6] },
        ],
        usage: { prompt_tokens: 4, total_tokens: 4 },
      },
    }));
    const { ask, peer } = await cachedGateway(
      t,
      { providers: { vectors: saved('openai', `${vectors.origin}/v1`) } },
      { env: (name) => (name === 'SEMANTIC_CACHE_EMBEDDING_MODEL' ? '@vectors/text-small' : undefined) },
    );
    const config = target(peer, { cache: 'semantic' });
    const replies = [
      await ask(config, says('What is the capital of France?')),
      await ask(config, says("Tell me France's capital")),
      await ask(config, says('What is the capital of Spain?')),
      await ask(config, says('What is the capital of France?')),
    ];
    assert.deepEqual(replies.map(statusOf), ['SEMANTIC MISS', 'SEMANTIC HIT', 'SEMANTIC MISS', 'HIT']);
    assert.deepEqual(replies.map(said), ['reply 1', 'reply 1', 'reply 2', 'reply 1']);
    assert.deepEqual(
      vectors.requests.map(({ url, body }) => [url, body.model, body.input]),
      ['What is the capital of France?', "Tell me France's capital", 'What is the capital of Spain?'].map((text) => [
        '/v1/embeddings',
        'text-small',
        `user: ${text}`,
      ]),
    );
  });

  it('is a miss while that model is away', async (t) => {
    const vectors = await startPeer(t);
    vectors.always({ status: 500, body: { error: { message: 'away' } } });
    const { ask, peer } = await cachedGateway(
      t,
      { providers: { vectors: saved('openai', `${vectors.origin}/v1`) } },
      { env: (name) => (name === 'SEMANTIC_CACHE_EMBEDDING_MODEL' ? '@vectors/text-small' : undefined) },
    );
    const config = target(peer, { cache: 'semantic' });
    const replies = [await ask(config), await ask(config, says('y')), await ask(config)];
    assert.deepEqual(replies.map(statusOf), ['SEMANTIC MISS', 'SEMANTIC MISS', 'HIT']);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    );
  });
});

describe('embeddings', () => {
  it('are kept too', async (t) => {
    const { ask, peer } = await cachedGateway(t);
    peer.always({ body: { object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [1] }] } });
    const config = target(peer, { cache: 'simple' });
    const embed = () => ask(config, { model: 'm', input: 'x' }, {}, '/v1/embeddings');
    assert.deepEqual([await embed(), await embed()].map(statusOf), ['MISS', 'HIT']);
    assert.equal(peer.requests.length, 1);
  });
});

describe('what is never kept', () => {
  it('is a reply to what was not read of the request, because it says a member twice', async (t) => {
    const { request, ask, peer } = await cachedGateway(t);
    const config = target(peer, { cache: 'simple' });
    const body = '{"model":"m","messages":[{"role":"user","content":"y"}],"messages":[{"role":"user","content":"x"}]}';
    const headers = { 'content-type': 'application/json', 'x-gw-config': JSON.stringify(config) };
    assert.equal(statusOf(await request('POST', '/v1/chat/completions', { body, headers })), 'MISS');
    assert.equal(peer.requests[0]?.bytes.toString(), JSON.stringify(says('x')));
    assert.equal(statusOf(await ask(config, says('x'))), 'HIT');
  });

  it('is a reply of the proxy route, or one that was only read', async (t) => {
    const { request, peer } = await cachedGateway(t);
    peer.always({ body: completion('x') });
    const headers = {
      'content-type': 'application/json',
      'x-gw-config': JSON.stringify(target(peer, { cache: 'simple' })),
    };
    for (let time = 0; time < 2; time += 1) {
      const reply = await request('POST', '/v1/proxy/threads', { body: '{"model":"m"}', headers });
      assert.deepEqual([reply.status, statusOf(reply)], [200, 'DISABLED']);
      const read = await request('GET', '/v1/responses/resp_1', { headers });
      assert.deepEqual([read.status, statusOf(read)], [200, 'DISABLED']);
    }
    assert.equal(peer.requests.length, 4);
  });
});
