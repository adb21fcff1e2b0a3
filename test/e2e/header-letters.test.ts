import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startPeer } from '../support/peer.ts';
import { chat, routed, target } from '../support/routed.ts';

/** The bytes of a text, as HTTP clients want them: a character each. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

describe('letters beyond ASCII in headers', () => {
  for (const [written, header] of [
    ['in UTF-8', utf8('{"team":"Zürich 東京"}')],
    ['in Latin-1, as browsers send it', '{"team":"Zürich"}'],
    ['escaped', '{"team":"Z\\u00fcrich"}'],
  ] as const) {
    it(`are those of the metadata, ${written}`, async (t) => {
      const peer = await startPeer(t);
      const { post } = await routed(t, {
        strategy: {
          mode: 'conditional',
          // biome-ignore lint/suspicious/noThenProperty: the config's own word.
          conditions: [{ query: { 'metadata.team': { $regex: '^Zürich( 東京)?$' } }, then: 'there' }],
          default: 'elsewhere',
        },
        targets: [
          target(peer, { name: 'there' }),
          target(peer, { name: 'elsewhere', override_params: { user: 'elsewhere' } }),
        ],
      });
      assert.equal((await post(chat, { 'x-gw-metadata': header })).status, 200);
      assert.equal((await peer.request(0)).body.user, undefined);
    });
  }

  it('count as one each towards the bound of a value', async (t) => {
    const peer = await startPeer(t);
    const { post } = await routed(t, target(peer));
    const of = (length: number) => ({ 'x-gw-metadata': utf8(JSON.stringify({ team: '東'.repeat(length) })) });
    assert.equal((await post(chat, of(128))).status, 200);
    assert.equal((await post(chat, of(129))).status, 400);
  });

  it('reach the provider as an inline config has them', async (t) => {
    const peer = await startPeer(t);
    const { post } = await routed(t, target(peer));
    const config = { ...target(peer), override_params: { user: 'Zürich 東京' } };
    assert.equal((await post(chat, { 'x-gw-config': utf8(JSON.stringify(config)) })).status, 200);
    assert.equal((await peer.request(0)).body.user, 'Zürich 東京');
  });
});
