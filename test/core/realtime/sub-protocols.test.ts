import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readSubProtocols } from '../../../core/realtime/sub-protocols.ts';
import { realtimeUsage } from '../../../core/realtime/usage.ts';

describe('sub-protocols', () => {
  it('hold headers under the vendors of the gateway, plain or in base64url', () => {
    const value = Buffer.from('{"provider":"x"}').toString('base64url');
    assert.deepEqual(
      readSubProtocols(`realtime, gw-config.b64.${value}, a-b-trace-id.t.1, gw-api-key.one, gw-api-key.two`, [
        'gw',
        'a-b',
      ]),
      {
        headers: { 'x-gw-config': '{"provider":"x"}', 'x-a-b-trace-id': 't.1', 'x-gw-api-key': 'one' },
        others: ['realtime'],
      },
    );
    assert.deepEqual(readSubProtocols(undefined, ['gw']), { headers: {}, others: [] });
  });

  it('are refused where a header could not hold their value', () => {
    const value = Buffer.from('a\r\nx-gw-api-key: b').toString('base64url');
    assert.throws(() => readSubProtocols(`realtime, gw-config.b64.${value}`, ['gw']), { code: 'bad_request' });
  });

  it('never lead a key to the provider, whatever is offered beside it', () => {
    const offer = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const secret = fc.stringMatching(/^SECRET[A-Za-z0-9]{1,8}$/);
    const keyed = fc.constantFrom(
      'gw-api-key.',
      'gw-virtual-key.',
      'gw-config.',
      'openai-insecure-api-key.',
      'x-y-api-key.',
    );
    fc.assert(
      fc.property(fc.uniqueArray(offer, { maxLength: 4 }), keyed, secret, (others, prefix, text) => {
        const read = readSubProtocols([...others, 'realtime1', prefix + text].join(', '), ['gw']);
        assert.deepEqual(read.others, [...others, 'realtime1']);
      }),
    );
  });
});

describe('the usage of an answer', () => {
  it('is what is counted, and nothing where that is no count', () => {
    assert.equal(realtimeUsage({}), undefined);
    assert.equal(realtimeUsage({ usage: null }), undefined);
    assert.equal(realtimeUsage({ usage: { input_tokens: -1, output_tokens: 2 } }), undefined);
    assert.equal(realtimeUsage({ usage: { input_tokens: '1', output_tokens: 2 } }), undefined);
    const details = { cached_tokens: 4, image_tokens: 3, cached_tokens_details: { image_tokens: 2 } };
    assert.deepEqual(realtimeUsage({ usage: { input_tokens: 10, output_tokens: 2, input_token_details: details } }), {
      input: 10,
      output: 2,
      cacheRead: 4,
      cacheReadImage: 2,
      imageInput: 3,
    });
  });
});
