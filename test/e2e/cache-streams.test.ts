import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { dialects } from 'portcullis/sdk';
import { statusOf, withCache } from '../plugins/cache/serving.ts';
import { type ClientName, readers, requests, words } from '../plugins/guardrails-stream/readers.ts';
import type { TestGateway } from '../support/gateway.ts';
import type { Peer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { openStreams, providers, streamFor } from './sdk-streams.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

const said = 'Good day to you, this is an answer in pieces.';

describe('a stream out of the cache, read by the official SDKs', () => {
  const scope = suiteScope();
  let peer: Peer;
  let gateway: TestGateway;
  let namespaces = 0;

  before(async () => {
    ({ peer, gateway } = await openStreams(scope, said, { ...withCache, pieceBytes: 11 }));
  });

  const headersFor = (provider: string, more: Readonly<Record<string, unknown>> = {}) => ({
    'x-gw-config': JSON.stringify({ virtual_key: provider, cache: 'simple', ...more }),
    'x-gw-cache-namespace': String(++namespaces),
  });

  for (const client of Object.keys(readers) as ClientName[]) {
    for (const kind of ['same', 'translated'] as const) {
      for (const [name, read] of Object.entries(readers[client])) {
        it(`is the one that was kept: ${client} client, ${kind} format, ${name}`, async () => {
          const headers = headersFor(providers[client][kind]);
          const asked = peer.requests.length;
          const first = await read({ gateway, headers });
          const second = await read({ gateway, headers });
          assert.deepEqual(second, first);
          assert.deepEqual([second.status, second.text, second.finish], [200, said, words[client].stop]);
          assert.equal(peer.requests.length, asked + 1);
        });
      }
    }

    const stream = (headers: Readonly<Record<string, string>>) =>
      gateway.post(requests[client].path, requests[client].body, headers);

    it(`is not one that broke off: ${client}`, async () => {
      const headers = headersFor(providers[client].same);
      const whole = streamFor(said, { url: requests[client].path });
      peer.next({ events: [whole.slice(0, whole.length / 2)], ending: 'cut' });
      const replies = [await stream(headers), await stream(headers), await stream(headers)];
      assert.deepEqual(replies.map(statusOf), ['MISS', 'MISS', 'HIT']);
      assert.equal(replies[2]?.text, replies[1]?.text);
    });

    it(`is not one that told of an error: ${client}`, async () => {
      const headers = headersFor(providers[client].same);
      const name = client;
      const fault = dialects[name].encodeStreamFault({ status: 529, message: 'Overloaded.', type: 'overloaded_error' });
      const whole = streamFor(said, { url: requests[client].path });
      const half = whole.slice(0, whole.indexOf('\n\n', whole.length / 2) + 2);
      peer.next({ events: [half + fault] });
      assert.deepEqual([await stream(headers), await stream(headers)].map(statusOf), ['MISS', 'MISS']);
    });

    it(`passes the guardrails of the request that gets it: ${client}`, async () => {
      const provider = providers[client].same;
      const headers = headersFor(provider);
      await stream(headers);
      const mask = {
        'default.regexReplace': { rule: 'answer', redactText: '[X]' },
        stream_mode: 'window',
        stream_window: { tokens: 8, ms: 10_000, overlap_tokens: 3 },
      };
      const config = { virtual_key: provider, cache: 'simple', output_guardrails: [mask] };
      const asked = peer.requests.length;
      const reply = await stream({ ...headers, 'x-gw-config': JSON.stringify(config) });
      assert.deepEqual([statusOf(reply), peer.requests.length], ['HIT', asked]);
      assert.match(reply.text, /\[X\]/);
      assert.doesNotMatch(reply.text, /answer/);
    });
  }

  it('is not one that its client left', async () => {
    const headers = headersFor('openai');
    const whole = streamFor(said, { url: '/v1/chat/completions' });
    const asked = peer.requests.length;
    peer.next({ events: [whole.slice(0, 200)], ending: 'stall' });
    const leaving = new AbortController();
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(requests.chat.body),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await (await peer.request(asked)).abandoned;
    const reply = await gateway.post(requests.chat.path, requests.chat.body, headers);
    assert.equal(statusOf(reply), 'MISS');
  });

  it('is not given to who asks for a whole reply, nor the other way round', async () => {
    const headers = headersFor('openai');
    const { stream: _, ...whole } = requests.chat.body;
    await gateway.post(requests.chat.path, requests.chat.body, headers);
    peer.next({}, {});
    const first = await gateway.post(requests.chat.path, whole, headers);
    assert.deepEqual([statusOf(first), first.headers.get('content-type')?.split(';')[0]], ['MISS', 'application/json']);
    const second = await gateway.post(requests.chat.path, requests.chat.body, headers);
    assert.deepEqual([statusOf(second), second.text.trimEnd().endsWith('[DONE]')], ['HIT', true]);
  });
});
