import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import type { LedgerSettings } from '../../core/ledger/settings.ts';
import { saved } from '../support/gateway.ts';
import { type PeerRequest, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { clientGone } from './client-gone.ts';
import { countingGateway } from './ledger-gateway.ts';

noUnhandledRejections();

const asked: JsonObject = { model: '@host/m', stream: true, messages: [{ role: 'user', content: 'Say hello.' }] };
const refusal: JsonObject = {
  error: { message: 'Extra inputs are not permitted: stream_options', type: 'invalid_request_error' },
};
const isAsked = ({ body }: PeerRequest) => body.stream_options !== undefined;
const refusing = (request: PeerRequest) => (isAsked(request) ? { status: 422, body: refusal } : {});

/** A gateway before two hosts of the chat format, which refuse to be asked for the counts of their streams. */
async function serving(t: TestContext, settings: Partial<LedgerSettings> = {}) {
  const [peer, other] = await Promise.all([startPeer(t), startPeer(t)]);
  for (const host of [peer, other]) host.always(refusing);
  const gateway = await countingGateway(t, settings, {
    server: { timeouts: { firstByteMs: 0, totalMs: 0 } },
    providers: { host: saved('openai', `${peer.origin}/v1`), other: saved('openai', `${other.origin}/v1`) },
  });
  const post = (body: JsonObject | string = asked, config: JsonObject = {}) =>
    gateway.post('/v1/chat/completions', body, { 'x-gw-config': JSON.stringify(config) });
  return { peer, other, gateway, post };
}

describe('a host that refuses to be asked for the token counts of its streams', () => {
  it('answers all the same: its client never sees the refusal', async (t) => {
    const { peer, gateway } = await serving(t);
    const stream = await gateway
      .openai()
      .chat.completions.create({ model: '@host/m', messages: [{ role: 'user', content: 'Say hello.' }], stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    assert.ok(text.length > 0);
    assert.deepEqual(peer.requests.map(isAsked), [true, false]);
  });

  it('is not asked again, and gets the very bytes of the client', async (t) => {
    const { peer, gateway, post } = await serving(t);
    await post();
    const given = `{ "messages":[{"role":"user","content":"Hi"}],"stream" : true, "model":"m" }`;
    const reply = await post(given, { provider: '@host' });
    assert.equal(reply.status, 200);
    assert.deepEqual(peer.requests.map(isAsked), [true, false, false]);
    assert.equal(peer.requests[2]?.bytes.toString(), given);
    const learned = gateway.log.filter(({ event }) => event === 'stream_usage_refused');
    assert.deepEqual(
      learned.map(({ fields }) => fields),
      [{ provider: 'openai', model: 'm' }],
    );
  });

  it('is asked again for another model, as is another host for the same one', async (t) => {
    const { peer, other, post } = await serving(t);
    await post();
    await post({ ...asked, model: '@host/n' });
    await post({ ...asked, model: '@other/m' });
    assert.deepEqual(peer.requests.map(isAsked), [true, false, true, false]);
    assert.deepEqual(other.requests.map(isAsked), [true, false]);
  });

  it('was called in one attempt, which no retry and no fallback sees, and its tokens are counted here', async (t) => {
    const { peer, other, gateway, post } = await serving(t);
    const retry = { attempts: 3, on_status_codes: [400, 422] };
    const targets = [{ provider: '@host', retry }, { provider: '@other' }];
    const strategy = { mode: 'fallback', on_status_codes: [400, 422] };
    assert.equal((await post({ ...asked, model: 'm' }, { strategy, targets })).status, 200);
    const [record] = await gateway.records(1);
    assert.deepEqual(
      [record?.attempts?.map(({ status }) => status), record?.retries, record?.fallback, record?.usageSource],
      [[200], 0, false, 'estimated'],
    );
    assert.deepEqual([peer.requests.length, other.requests.length], [2, 0]);
  });

  it('is asked again by the next request when the request was wrong without the question too', async (t) => {
    const { peer, post } = await serving(t);
    peer.always({ status: 400, body: refusal });
    assert.equal((await post()).status, 400);
    peer.always({});
    assert.equal((await post()).status, 200);
    assert.deepEqual(peer.requests.map(isAsked), [true, false, true]);
  });

  const others: readonly (readonly [string, number, JsonObject, JsonObject])[] = [
    ['a refusal of something else', 400, asked, { error: { message: 'messages is required' } }],
    ['a failure of the host that names the field', 500, asked, refusal],
    [
      'a refusal of what the client itself has asked for',
      422,
      { ...asked, stream_options: { include_usage: true } },
      refusal,
    ],
    ['a refusal of a request that is no stream', 400, { ...asked, stream: false }, refusal],
  ];
  for (const [what, status, body, said] of others) {
    it(`is not called again after ${what}`, async (t) => {
      const { peer, post } = await serving(t);
      peer.always({ status, body: said });
      assert.equal((await post(body)).status, status);
      assert.equal(peer.requests.length, 1);
    });
  }

  it('has no more time for both calls than for one', async (t) => {
    const { peer, post } = await serving(t);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    peer.next({ status: 400, body: refusal, before: released });
    peer.always({ before: 'never' });
    const sent = post({ ...asked, model: 'm' }, { provider: '@host', request_timeout: 3_600_000 });
    await peer.request(0);
    // Timers run by another clock: the first call does not see the hour pass, the second one begins at its end.
    const clock = performance.now.bind(performance);
    t.mock.method(performance, 'now', () => clock() + 3_600_000);
    release();
    const reply = await sent;
    assert.equal(reply.status, 408);
    assert.match(reply.text, /timeout sent in the request: 3600000ms/);
  });

  for (const onDisconnect of ['count', 'drain'] as const) {
    it(`is not called again for a client that has left, where answers are to ${onDisconnect}`, async (t) => {
      const { peer, gateway } = await serving(t, { onDisconnect });
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      peer.always({ status: 422, body: refusal, before: released });
      const leaving = new AbortController();
      const gone = clientGone(gateway.url);
      const sent = fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(asked),
        signal: leaving.signal,
      });
      await peer.request(0);
      leaving.abort();
      await assert.rejects(sent);
      await gone;
      release();
      const [record] = await gateway.records(1);
      assert.equal(record?.status, 499);
      assert.equal(peer.requests.length, 1);
    });
  }

  it('is given up when the client leaves during the second call', async (t) => {
    const { peer, gateway } = await serving(t);
    peer.always((request) => (isAsked(request) ? { status: 400, body: refusal } : { before: 'never' }));
    const leaving = new AbortController();
    const sent = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
      signal: leaving.signal,
    });
    const second = await peer.request(1);
    leaving.abort();
    await assert.rejects(sent);
    await second.abandoned;
    const [record] = await gateway.records(1);
    assert.equal(record?.status, 499);
  });
});
