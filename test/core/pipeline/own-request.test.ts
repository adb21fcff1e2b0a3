import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { InferenceRequest, JsonObject } from 'portcullis/sdk';
import { inferAs } from '../../../core/pipeline/own-request.ts';
import { saved, startGateway } from '../../support/gateway.ts';
import { startPeer } from '../../support/peer.ts';
import { noUnhandledRejections } from '../../support/rejections.ts';

noUnhandledRejections();

const id = 'own-1';
const body = { model: '@saved/gpt-4o', messages: [{ role: 'user', content: 'Hi' }] };
const streamed = { ...body, stream: true };
const event = 'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';

async function start(t: TestContext) {
  const peer = await startPeer(t);
  const gateway = await startGateway(t, { providers: { saved: saved('openai', `${peer.origin}/v1`) } });
  const { promise: released, resolve } = Promise.withResolvers<void>();
  const left = new AbortController();
  let releases = 0;
  const release = () => {
    releases += 1;
    resolve();
  };
  return {
    peer,
    gateway,
    leave: () => left.abort(),
    infer: (given: JsonObject, more: Partial<InferenceRequest> = {}) =>
      inferAs(
        { runtime: gateway.gateway.runtime, release },
        { path: '/v1/chat/completions', body: given, signal: left.signal, ...more },
        { id: 'tester', kind: 'key' },
        id,
      ),
    /** What the log says of it, when the lease is back: one line, and one lease. */
    settled: async () => {
      await released;
      const lines = gateway.log.filter((line) => line.event === 'request' && line.fields.id === id);
      assert.deepEqual([lines.length, releases], [1, 1]);
      return lines[0]?.fields ?? {};
    },
    releases: () => releases,
  };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('a request to a model for a caller of the control plane', () => {
  it('is answered as over HTTP, logged under its id, and done when it is there', async (t) => {
    const { infer, settled, gateway } = await start(t);
    const reply = await infer(body);
    assert.deepEqual([reply.id, reply.status], [id, 200]);
    const direct = await gateway.post('/v1/chat/completions', body);
    assert.equal(await textOf(reply.body), direct.text);
    const { status, principal, path, error } = await settled();
    assert.deepEqual([status, principal, path, error], [200, 'tester', '/v1/chat/completions', undefined]);
  });

  it('is answered with the error where it cannot be sent', async (t) => {
    const { infer, settled, peer } = await start(t);
    const reply = await infer({ ...body, model: '@nothing/m' });
    assert.equal(reply.status, 400);
    assert.match(await textOf(reply.body), /nothing/);
    assert.equal((await settled()).status, 400);
    assert.equal(peer.requests.length, 0);
  });

  it('streams to its end', async (t) => {
    const { infer, settled } = await start(t);
    const reply = await infer(streamed);
    assert.match(await textOf(reply.body), /data: \[DONE\]\n\n$/);
    const { status, stream } = await settled();
    assert.deepEqual([status, stream], [200, true]);
  });

  it('is done when its stream has come, however slowly it is read', async (t) => {
    const { infer, settled, peer } = await start(t);
    peer.next({ events: [event, event, 'data: [DONE]\n\n'] });
    const reply = await infer(streamed);
    assert.equal((await settled()).status, 200);
    assert.match(await textOf(reply.body), /data: \[DONE\]\n\n$/);
  });

  it('is refused for routes that it cannot take, and gives its lease back', async (t) => {
    const { infer, releases } = await start(t);
    const path = '/v1/proxy/x' as InferenceRequest['path'];
    await assert.rejects(infer(body, { path }), { code: 'not_found' });
    assert.equal(releases(), 1);
  });
});

describe('who leaves a request to a model', () => {
  it('ends it before its head', async (t) => {
    const { infer, leave, settled, peer } = await start(t);
    peer.next({ before: 'never' });
    const asked = infer(streamed);
    const { abandoned } = await peer.request(0);
    leave();
    assert.equal((await asked).status, 499);
    await abandoned;
    assert.equal((await settled()).status, 499);
  });

  it('ends it before its first piece was asked for', async (t) => {
    const { infer, settled, peer } = await start(t);
    peer.next({ events: [event], ending: 'stall' });
    const { body: pieces } = await infer(streamed);
    await pieces[Symbol.asyncIterator]().return?.();
    await peer.requests[0]?.abandoned;
    assert.deepEqual([(await settled()).status, (await settled()).error], [499, 'client_closed']);
  });

  it('ends it while a piece is waited for', async (t) => {
    const { infer, settled, peer } = await start(t);
    peer.next({ events: [event], ending: 'stall' });
    const { body: pieces } = await infer(streamed);
    const reader = pieces[Symbol.asyncIterator]();
    assert.equal((await reader.next()).done, false);
    const next = reader.next();
    await reader.return?.();
    assert.deepEqual(await next, { done: true, value: undefined });
    await peer.requests[0]?.abandoned;
    assert.equal((await settled()).status, 499);
  });

  it('ends it by the signal, though nobody reads', async (t) => {
    const { infer, leave, settled, peer } = await start(t);
    peer.next({ events: [event], ending: 'stall' });
    const { body: pieces } = await infer(streamed);
    leave();
    await peer.requests[0]?.abandoned;
    assert.equal((await settled()).status, 499);
    const reader = pieces[Symbol.asyncIterator]();
    await assert.rejects(async () => reader.next(), { code: 'client_closed' });
    assert.equal((await reader.next()).done, true);
  });

  it('before it begins asks nobody', async (t) => {
    const { infer, leave, settled, peer } = await start(t);
    leave();
    assert.equal((await infer(body)).status, 499);
    assert.equal((await settled()).status, 499);
    assert.equal(peer.requests.length, 0);
  });
});

describe('the headers of a request to a model', () => {
  const forged: readonly Readonly<Record<string, string>>[] = [
    { config: 'a\r\nx-gw-api-key: b' },
    { config: 'a\u0000' },
    { config: '\u{1f511}' },
    { 'config: a\r\nx-gw-trace-id': 'b' },
    { '': 'a' },
    { __PROTO__: 'a' },
    { Config: 'a' },
  ];
  for (const control of forged)
    it(`are refused where HTTP could not send them: ${JSON.stringify(control)}`, async (t) => {
      const { infer, releases } = await start(t);
      await assert.rejects(infer(body, { control }), { code: 'bad_request' });
      assert.equal(releases(), 1);
    });

  it('are those of the gateway alone', async (t) => {
    const { infer, peer, settled } = await start(t);
    const reply = await infer(body, { control: { 'trace-id': 'trace-1', authorization: 'Bearer forged' } });
    assert.equal(reply.status, 200);
    assert.equal((await settled()).trace, 'trace-1');
    assert.equal(peer.requests[0]?.headers.authorization, 'Bearer operator-key');
  });
});
