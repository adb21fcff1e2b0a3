import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import type { Act } from '../../support/peer.ts';
import { target } from '../../support/routed.ts';
import { served } from './served.ts';

const messages = [{ role: 'user' as const, content: 'the quokka' }];
const metadata = { crm_api_key: 'Bearer secret-of-the-config' };
const whole = (content: string) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  metadata,
});
const events = (content: string) => [
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o', choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] })}\n\n`,
  'data: [DONE]\n\n',
];
const refused = { error: { message: 'crm refused the token secret-of-the-config.', type: 'invalid_request_error' } };

describe('a credential that a config has added to a request, repeated by its provider', () => {
  const table: readonly (readonly [string, Act, JsonObject, number])[] = [
    ['in a reply', { body: whole('It is secret-of-the-config.') }, {}, 1],
    ['in a stream', { events: events('It is secret-of-the-config.') }, { stream: true }, 1],
    ['in an error', { status: 400, body: refused }, {}, 1],
    ['in a reply that a cache gives again', { body: whole('It is secret-of-the-config.') }, { cache: true }, 2],
  ];
  for (const [where, act, { cache, ...asked }, count] of table) {
    it(`is not in the log ${where}`, async (t) => {
      const { client, peer, written } = await served(t);
      peer.next(act);
      const config = target(peer, {
        override_params: { metadata },
        ...(cache === true ? { cache: { mode: 'simple' } } : {}),
      });
      for (let round = 0; round < count; round += 1) {
        const call = client.chat.completions.create({ model: 'gpt-4o', messages, ...asked }, { config });
        const reply = await call.then(
          async (given: unknown) => {
            if (asked.stream === true) for await (const _ of given as AsyncIterable<unknown>);
            return '';
          },
          (error: Error) => JSON.stringify([error, error.message]),
        );
        assert.doesNotMatch(reply, /secret-of/);
      }
      const logs = await written(count);
      assert.equal(peer.requests.length, 1);
      for (const log of logs) {
        assert.match(JSON.stringify(log.response), /\*{4}/);
        assert.doesNotMatch(JSON.stringify(log), /secret-of/);
      }
    });
  }
});

it('keeps the key of a provider out of the log, wherever the provider repeats it', async (t) => {
  const { client, peer, written } = await served(t);
  const told = 'You sent key-of-the-provider.';
  peer.next({ body: whole(told) }, { events: events(told) });
  const config = target(peer, { api_key: 'key-of-the-provider' });
  await client.chat.completions.create({ model: 'gpt-4o', messages }, { config });
  const stream = await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true }, { config });
  for await (const _ of stream);
  for (const log of await written(2)) {
    assert.match(JSON.stringify(log.response), /You sent \*+\./);
    assert.doesNotMatch(JSON.stringify(log), /key-of-the-provider/);
  }
});
