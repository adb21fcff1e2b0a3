import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { type Act, type Peer, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { chat, indexOf, retriesOf, routed, target } from '../support/routed.ts';

noUnhandledRejections();

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => new Uint8Array(Buffer.from(text, 'utf8')),
);

/** A stream that is one message. */
function saying(names: Readonly<Record<string, string>>, payload: string): Act {
  const headers = Object.fromEntries(
    Object.entries(names).map(([name, value]) => [`:${name}`, { type: 'string' as const, value }]),
  );
  const body = codec.encode({ headers, body: new Uint8Array(Buffer.from(payload)) });
  return { body, headers: { 'content-type': 'application/vnd.amazon.eventstream' } };
}

function throwing(name: string, payload = '{"message":"Why."}'): Act {
  return saying({ 'message-type': 'exception', 'exception-type': name }, payload);
}

/** Events of Claude as its platform packs them. */
function claude(...events: readonly JsonObject[]): Act {
  const names = { 'message-type': 'event', 'event-type': 'chunk' };
  const packed = events.map((event) => Buffer.from(JSON.stringify(event)).toString('base64'));
  const messages = packed.map((bytes) => saying(names, JSON.stringify({ bytes })));
  return { ...messages[0], body: Buffer.concat(messages.map(({ body }) => body as Uint8Array)) };
}

function bedrock({ origin }: Peer, more: JsonObject = {}): JsonObject {
  return { provider: 'bedrock', api_key: 'ABSKexample', aws_region: 'us-east-1', custom_host: origin, ...more };
}

const streamed = { ...chat, max_tokens: 9, stream: true };

describe('a stream of Bedrock that begins with an exception', () => {
  const clients: readonly (readonly [path: string, body: JsonObject])[] = [
    ['/v1/chat/completions', { ...streamed, model: 'amazon.nova-lite-v1:0' }],
    ['/v1/messages', { ...streamed, model: 'amazon.nova-lite-v1:0' }],
    ['/v1/messages', { ...streamed, model: 'anthropic.claude-sonnet-4-20250514-v1:0' }],
    ['/v1/responses', { model: 'amazon.nova-lite-v1:0', input: 'x', stream: true }],
  ];
  for (const [path, body] of clients) {
    it(`is an error with the status that it means: ${path} with ${body.model}`, async (t) => {
      const peer = await startPeer(t);
      const { post } = await routed(t, bedrock(peer));
      for (const [name, status] of [
        ['throttlingException', 429],
        ['validationException', 400],
        ['modelStreamErrorException', 424],
        ['modelTimeoutException', 408],
        ['serviceUnavailableException', 503],
        ['internalServerException', 500],
        ['somethingNewException', 502],
      ] as const) {
        peer.next(throwing(name));
        const reply = await post(body, {}, path);
        const message = asObject(asObject(JSON.parse(reply.text))?.error)?.message;
        assert.deepEqual([reply.status, message], [status, 'bedrock error: Why.'], name);
      }
    });
  }

  it('is told by its name where it has no payload, and by its headers where it has no shape', async (t) => {
    const peer = await startPeer(t);
    const { post } = await routed(t, bedrock(peer));
    const unshaped = { 'message-type': 'error', 'error-code': 'ThrottlingException', 'error-message': 'Slow down.' };
    peer.next(throwing('throttlingException', ''), saying(unshaped, ''));
    for (const message of [/without a message/, /Slow down/]) {
      const reply = await post(streamed);
      assert.equal(reply.status, 429);
      assert.match(reply.text, message);
    }
  });

  it('is an error where Claude sends it as an event of its own', async (t) => {
    const peer = await startPeer(t);
    const { post } = await routed(t, bedrock(peer));
    const event = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    for (const act of [claude(event), claude({ type: 'ping' }, event)]) {
      peer.next(act);
      const reply = await post({ ...streamed, model: 'anthropic.claude-sonnet-4-20250514-v1:0' }, {}, '/v1/messages');
      assert.deepEqual([reply.status, JSON.parse(reply.text).error.type], [529, 'overloaded_error']);
    }
  });

  it('is an error where the events of Claude end before they say anything', async (t) => {
    const peer = await startPeer(t);
    const { post } = await routed(t, bedrock(peer));
    const [ping, stop] = [{ type: 'ping' }, { type: 'message_stop' }];
    for (const act of [claude(stop), claude(ping), claude(ping, stop)]) {
      peer.next(act);
      const reply = await post({ ...streamed, model: 'anthropic.claude-sonnet-4-20250514-v1:0' }, {}, '/v1/messages');
      assert.deepEqual(
        [reply.status, JSON.parse(reply.text).error.message],
        [502, 'bedrock answered with an empty stream.'],
      );
    }
  });

  it('is tried again, and falls back, where the config lists its status', async (t) => {
    const peer = await startPeer(t);
    peer.next(throwing('throttlingException'), throwing('serviceUnavailableException'));
    const { post } = await routed(t, {
      strategy: { mode: 'fallback', on_status_codes: [503] },
      targets: [bedrock(peer, { retry: { attempts: 1, on_status_codes: [429] } }), target(peer)],
    });
    const reply = await post({ ...streamed, model: 'amazon.nova-lite-v1:0' });
    assert.deepEqual([reply.status, indexOf(reply), peer.requests.length], [200, 'config.targets[1]', 3]);
  });

  it('is not tried again where the request is at fault', async (t) => {
    const peer = await startPeer(t);
    peer.always(throwing('validationException'));
    const { post } = await routed(t, bedrock(peer, { retry: { attempts: 3 } }));
    const reply = await post({ ...streamed, model: 'amazon.nova-lite-v1:0' });
    assert.deepEqual([reply.status, retriesOf(reply), peer.requests.length], [400, '0', 1]);
  });
});
