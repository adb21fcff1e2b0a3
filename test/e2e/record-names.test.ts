import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { saved } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';
import { countingGateway } from './ledger-gateway.ts';

it('keeps no model in its records that is as long as a body', async (t) => {
  const peer = await startPeer(t);
  const gateway = await countingGateway(t, {}, { providers: { open: saved('openai', `${peer.origin}/v1`) } });
  const model = 'm'.repeat(100_000);
  const reply = await gateway.post('/v1/chat/completions', {
    model: `@open/${model}`,
    messages: [{ role: 'user', content: 'Hello.' }],
  });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(peer.requests[0]?.body.model, model);
  const [record] = await gateway.records(1);
  assert.deepEqual([record?.model?.length, record?.requestedModel?.length], [256, 256]);
});

describe('a request whose client has left', () => {
  for (const [when, acts, calls] of [
    ['while its provider is asked', [{ before: 'never' }], [['config.targets[0]', 499, 'client_closed']]],
    [
      'while the second target is asked',
      [{ status: 500 }, { before: 'never' }],
      [
        ['config.targets[0]', 500, 'upstream_error'],
        ['config.targets[1]', 499, 'client_closed'],
      ],
    ],
  ] as const) {
    it(`names who was asked, and for what: ${when}`, async (t) => {
      const peer = await startPeer(t);
      peer.next(...acts);
      const target = { provider: 'openai', api_key: 'k', custom_host: `${peer.origin}/v1` };
      const targets = ['first', 'second'].map((model) => ({ ...target, override_params: { model } }));
      const main = { strategy: { mode: 'fallback' }, targets };
      const gateway = await countingGateway(t, {}, { configs: { main }, defaultConfig: 'main' });
      const leaving = new AbortController();
      const reply = fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'Hello.' }] }),
        signal: leaving.signal,
      });
      await peer.request(acts.length - 1);
      leaving.abort();
      await assert.rejects(reply, { name: 'AbortError' });
      const [record] = await gateway.records(1);
      assert.deepEqual(
        [record?.status, record?.provider, record?.model, record?.target],
        [499, 'openai', acts.length === 1 ? 'first' : 'second', calls.at(-1)?.[0]],
      );
      assert.deepEqual(
        record?.attempts?.map(({ target, status, error }) => [target, status, error]),
        calls,
      );
      // What was waited for is the provider's time.
      assert.ok((record?.timings?.upstream ?? 0) > 0);
    });
  }
});
