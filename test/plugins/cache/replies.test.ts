import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Endpoint, JsonObject, OrganisationEntry, Outcome, RequestContext, TargetContext } from 'portcullis/sdk';
import { GatewayError } from 'portcullis/sdk';
import { testOutcome } from 'portcullis/sdk/testing';
import { assertKept, said, simple, startCache, targetWith } from './asking.ts';

describe('a cached reply', () => {
  it('is a miss first, and then a hit with the same bytes', async () => {
    const { ask } = await startCache();
    const first = await ask(targetWith());
    const second = await ask(targetWith());
    assert.deepEqual([first.status, first.called, second.status, second.called], ['MISS', true, 'HIT', false]);
    assert.equal(second.text, first.text);
  });

  it('says who made it, what it took, and what that had cost', async () => {
    const { ask } = await startCache({ price: async () => ({ nanoUsd: 4_200, parts: {}, source: 'catalogue' }) });
    const usage = { input: 3, output: 4, total: 7 };
    await ask(targetWith(), { provider: 'some', model: 'big', usage: () => usage });
    const { outcome } = await ask(targetWith({ path: 'config.targets[1]' }));
    assert.deepEqual(
      [outcome.provider, outcome.model, outcome.usage(), outcome.savedNanoUsd, outcome.path, outcome.retries],
      ['some', 'big', usage, 4_200, 'config.targets[1]', 0],
    );
  });

  it('had the cost of the tier and the region that it was made in', async () => {
    const { ask } = await startCache({
      price: ({ tier, region }) => ({
        nanoUsd: tier === 'flex' && region === 'us' ? 11 : 10,
        parts: {},
        source: 'catalogue',
      }),
    });
    const usage = () => ({ input: 3, output: 4 });
    await ask(targetWith(), { provider: 'some', model: 'big', usage, tier: () => 'flex', region: () => 'us' });
    assert.equal((await ask(targetWith())).outcome.savedNanoUsd, 11);
  });

  it('has the headers that speak of it, and none that spoke of the first call', async () => {
    const { ask } = await startCache();
    const headers = { 'content-type': 'application/json', 'x-request-id': 'r', 'x-ratelimit-remaining': '3' };
    await ask(targetWith(), { headers });
    const { outcome } = await ask(targetWith());
    assert.deepEqual(outcome.headers, { 'content-type': 'application/json' });
  });

  it('is not looked for where the target has no rule', async () => {
    const { hooks } = await startCache();
    const target = targetWith({ cache: undefined });
    assert.equal(hooks.lookup?.(target), undefined);
    assert.equal(hooks.afterRequest?.(target, testOutcome()), undefined);
  });

  it('is left alone by the hook that keeps replies', async () => {
    const { ask, hooks } = await startCache();
    await ask(targetWith());
    const target = targetWith();
    const hit = await hooks.lookup?.(target);
    assert.ok(hit !== undefined);
    assert.equal(hooks.afterRequest?.(target, hit), undefined);
  });

  it('is kept for the target that was looked up, and for no other of the request', async () => {
    const { hooks } = await startCache();
    const first = targetWith();
    await hooks.lookup?.(first);
    const second = { ...first, path: 'config.targets[1]' };
    assert.equal(hooks.afterRequest?.(second, testOutcome()), undefined);
  });
});

describe('a reply that is no answer', () => {
  const json = (value: JsonObject) => ({ kind: 'bytes', bytes: Buffer.from(JSON.stringify(value)) }) as const;
  const whole = { choices: [{ finish_reason: 'stop' }] };
  const refused: readonly [string, Partial<Outcome>][] = [
    ['an error of the provider', { status: 429, error: 'upstream_error' }],
    ['a redirect', { status: 302 }],
    ['an error of the gateway under a good status', { error: 'guardrail_denied' }],
    ['a success without an answer', { status: 202 }],
    ['a part of an answer', { status: 206 }],
    ['a page of a proxy', { headers: { 'content-type': 'text/html' } }],
    ['JSON that was cut', { body: { kind: 'bytes', bytes: Buffer.from('{"id":"a","choices":[') } }],
    ['a list', { body: { kind: 'bytes', bytes: Buffer.from('[]') } }],
    ['an error in a success', { body: json({ id: 'a', usage: { prompt: 1 }, error: { message: 'no' } }) }],
    ['an answer that failed on its way', { body: json({ choices: [{ finish_reason: 'error' }] }) }],
    ['an empty object', { body: json({}) }],
    ['a message in the place of an answer', { body: json({ message: 'Internal error' }) }],
    ['no choice', { body: json({ id: 'a', choices: [] }) }],
    ['half an answer', { body: json({ choices: [{ message: { content: 'par' }, finish_reason: null }] }) }],
    ['one choice of two', { body: json({ choices: [{ finish_reason: 'stop' }, { index: 1 }] }) }],
    ['a stream that nobody asked for', { headers: { 'content-type': 'text/event-stream' } }],
    ['more than 1 MiB', { body: json({ ...whole, id: 'x'.repeat(1024 * 1024) }) }],
  ];

  for (const [what, reply] of refused) {
    it(`is not kept: ${what}`, async () => assertKept(await startCache(), targetWith, reply, false));
  }

  it('is not kept where the gateway does not know the format', async () => {
    const target = () => targetWith({}, { endpoint: 'rerank', dialect: undefined });
    await assertKept(await startCache(), target, { body: json({ results: [], error: 'no' }) }, false);
    await assertKept(await startCache(), target, { body: json({ results: [] }) }, true);
  });

  it('still says that the cache was asked', async () => {
    const { ask } = await startCache();
    assert.equal((await ask(targetWith(), { status: 500, error: 'upstream_error' })).status, 'MISS');
  });

  const accepted: readonly [string, Partial<Outcome>][] = [
    ['without an error', { body: json({ ...whole, error: null }) }],
    ['cut at its length', { body: json({ id: 'a', choices: [{ finish_reason: 'length' }] }) }],
    ['almost 1 MiB', { body: json({ ...whole, id: 'x'.repeat(1024 * 1023) }) }],
  ];
  for (const [what, reply] of accepted) {
    it(`is told from one that is ${what}`, async () => assertKept(await startCache(), targetWith, reply, true));
  }
});

describe('a picture', () => {
  const picture = (bytes: number) => ({
    body: { kind: 'bytes' as const, bytes: Buffer.from(JSON.stringify({ data: [{ b64_json: 'x'.repeat(bytes) }] })) },
  });
  const target = () => targetWith({ body: { prompt: 'x' } }, { endpoint: 'imageGenerate', dialect: 'images' });

  it('is kept up to 8 MiB', async () => {
    await assertKept(await startCache(), target, picture(7 * 1024 * 1024), true);
    await assertKept(await startCache(), target, picture(8 * 1024 * 1024), false);
  });
});

describe('speech', () => {
  const sound = { 'content-type': 'audio/mpeg' };
  const bytes = (...values: number[]) => ({ kind: 'bytes', bytes: Buffer.from(values) }) as const;
  const target = (more: JsonObject = {}) => targetWith({ body: { input: 'x', ...more } }, { endpoint: 'createSpeech' });

  it('is kept as the sound that it is', async () => {
    const { ask } = await startCache();
    await ask(target(), { headers: sound, body: bytes(0xff, 0xfb, 0, 1) });
    const { called, outcome } = await ask(target());
    assert.deepEqual(
      [called, outcome.headers['content-type'], outcome.body],
      [false, 'audio/mpeg', bytes(0xff, 0xfb, 0, 1)],
    );
  });

  for (const [what, reply] of [
    ['nothing', { headers: sound, body: bytes() }],
    ['a page of a proxy', { headers: { 'content-type': 'text/html' }, body: bytes(60) }],
    ['an error', { status: 500, headers: sound, body: bytes(1), error: 'upstream_error' }],
    ['events', { headers: { 'content-type': 'text/event-stream' }, body: bytes(1) }],
  ] as const) {
    it(`is not kept: ${what}`, async () => assertKept(await startCache(), target, reply, false));
  }

  it('is asked for by no other endpoint', async () =>
    assertKept(await startCache(), targetWith, { headers: sound, body: bytes(1) }, false));
});

describe('the age of a reply', () => {
  const aged = (maxAgeSeconds: number) => targetWith({ cache: { ...simple, maxAgeSeconds } });

  it('ends with the second of its rule', async () => {
    const { ask, host } = await startCache();
    await ask(aged(60));
    host.advance(59_999);
    assert.equal((await ask(aged(60))).status, 'HIT');
    host.advance(1);
    assert.equal((await ask(aged(60))).status, 'MISS');
  });

  it('is what the asking rule allows, though another rule has kept it for longer', async () => {
    const { ask, host } = await startCache();
    await ask(aged(600));
    host.advance(100_000);
    assert.deepEqual([(await ask(aged(600))).status, (await ask(aged(99))).status], ['HIT', 'MISS']);
  });

  const organisation = (maxCacheAgeSeconds: number) =>
    startCache({
      directory: {
        organisation: { 'org-1': { maxCacheAgeSeconds, organisationId: 'org-1' } as OrganisationEntry },
      },
    });
  const ofOrganisation = (): TargetContext =>
    targetWith(
      { cache: simple },
      {
        principal: {
          id: 'key:k',
          kind: 'key',
          access: { organisationId: 'org-1', workspaceId: 'ws-1' } as NonNullable<
            RequestContext['principal']['access']
          >,
        },
      },
    );

  it('is at most what the organisation allows', async () => {
    const { ask, host } = await organisation(90);
    await ask(ofOrganisation());
    host.advance(89_000);
    assert.equal((await ask(ofOrganisation())).status, 'HIT');
    host.advance(1_000);
    assert.equal((await ask(ofOrganisation())).status, 'MISS');
  });

  it('is none where the organisation allows none', async () => {
    const { ask } = await organisation(0);
    await ask(ofOrganisation());
    assert.deepEqual((await ask(ofOrganisation())).status, 'DISABLED');
  });
});

describe('a refresh', () => {
  const refreshing = (value: string) => targetWith({}, { headers: { 'x-gw-cache-force-refresh': value } });

  it('calls the target and takes the place of what was kept', async () => {
    const { ask } = await startCache();
    await ask(targetWith());
    const fresh = await ask(refreshing('true'));
    const next = await ask(targetWith());
    assert.deepEqual([fresh.status, fresh.called, next.status], ['REFRESH', true, 'HIT']);
    assert.equal(next.text, fresh.text);
  });

  it('that fails leaves what was kept', async () => {
    const { ask } = await startCache();
    const first = await ask(targetWith());
    await ask(refreshing('true'), { status: 503, error: 'upstream_error' });
    assert.equal((await ask(targetWith())).text, first.text);
  });

  it('is asked for by the word true, and not by the header alone', async () => {
    const { ask } = await startCache();
    await ask(targetWith());
    assert.deepEqual(
      [(await ask(refreshing('false'))).status, (await ask(refreshing('TRUE'))).status],
      ['HIT', 'REFRESH'],
    );
  });
});

describe('a request whose reply may not be given again', () => {
  const bodies: readonly [string, JsonObject][] = [
    ['goes on from a reply that the provider keeps', { input: 'x', previous_response_id: 'resp_1' }],
    ['goes on with a conversation of the provider', { input: 'x', conversation: 'conv_1' }],
    ['works in a container of the provider', { container: 'c_1' }],
    ['lets the provider call servers', { mcp_servers: [{ url: 'https://a.example' }] }],
    ['asks the provider to keep the reply', { store: true }],
    ['asks for the reply later', { background: true }],
    ['lets the provider run code', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
    ['lets the provider act', { tools: [{ type: 'mcp', server_url: 'https://a.example' }] }],
    ['holds a number that was rounded when it was read', JSON.parse('{"seed":12345678901234567891}')],
    ['holds one deep within', JSON.parse('{"metadata":{"ids":[-9007199254740993]}}')],
    ['lets the provider act in a newer version', { tools: [{ type: 'code_execution_20260101' }] }],
  ];
  for (const [what, body] of bodies) {
    it(`is none that ${what}`, async () => {
      const { ask } = await startCache();
      const target = () => targetWith({ body: { ...said('x'), ...body } });
      await ask(target());
      const second = await ask(target());
      assert.deepEqual([second.status, second.called], ['DISABLED', true]);
    });
  }

  const requests: readonly [string, Partial<RequestContext>][] = [
    ['is a form', { headers: { 'content-type': 'multipart/form-data; boundary=x' } }],
    ['has no JSON body', { body: {} }],
    ['wants nothing kept', { headers: { 'x-gw-debug': 'false' } }],
    ['wants nothing kept, in capitals', { headers: { 'x-gw-debug': 'False' } }],
    ['only reads', { method: 'GET' }],
    ...(['getModelResponse', 'deleteModelResponse', 'listResponseInputItems', 'listModels', 'proxy'] as const).map(
      (endpoint): [string, Partial<RequestContext>] => [`goes to ${endpoint}`, { endpoint }],
    ),
  ];
  for (const [what, request] of requests) {
    it(`is none that ${what}`, async () => {
      const { ask } = await startCache();
      const target = () => targetWith({ body: said('x') }, request);
      await ask(target());
      assert.deepEqual((await ask(target())).status, 'DISABLED');
    });
  }

  const cached: readonly [string, JsonObject, Endpoint][] = [
    ['keeps nothing at the provider', { input: 'x', store: false }, 'createModelResponse'],
    ['says nothing of keeping', { input: 'x' }, 'createModelResponse'],
    ['has tools of its own', { tools: [{ type: 'function', function: { name: 'memory' } }] }, 'chatComplete'],
    ['has an empty list of servers', { mcp_servers: [] }, 'messages'],
    ['says that it wants no stream', { stream: false }, 'chatComplete'],
    ['holds the largest number that is exact', { seed: Number.MAX_SAFE_INTEGER, top_p: 0.1 }, 'chatComplete'],
    ['embeds', { input: 'x' }, 'embed'],
    ['ranks', { query: 'x', documents: ['a'] }, 'rerank'],
    ['draws', { prompt: 'x' }, 'imageGenerate'],
    ['counts', {}, 'messagesCountTokens'],
  ];
  for (const [what, body, endpoint] of cached) {
    it(`is told from one that ${what}`, async () => {
      const target = () => targetWith({ body: { model: 'm', ...body } }, { endpoint, dialect: undefined });
      await assertKept(await startCache(), target, {}, true);
    });
  }
});

describe('a target that cannot be called', () => {
  it('is left to the call, which says why', async () => {
    const { hooks, host } = await startCache();
    const target = targetWith({
      identity: () => {
        throw new GatewayError('bad_request', 'The provider does not serve the model.');
      },
    });
    assert.equal(await hooks.lookup?.(target), undefined);
    assert.equal(hooks.afterRequest?.(target, testOutcome({ status: 400 })), undefined);
    assert.deepEqual(host.logged, []);
  });

  it('has an identity that may have to be waited for', async () => {
    const target = () => targetWith({ identity: async () => 'b'.repeat(64) });
    await assertKept(await startCache(), target, {}, true);
  });
});
