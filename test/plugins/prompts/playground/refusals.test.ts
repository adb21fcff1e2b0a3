import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { refusal } from '../../../e2e/control/world.ts';
import { noUnhandledRejections } from '../../../support/rejections.ts';
import { both, path, resultsOf, startPlayground } from './world.ts';

noUnhandledRejections();

const one = { model: '@prov-shop/gpt-4o' };
const deep = () => JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);

describe('a playground refuses', () => {
  it('what it could not run, and asks nobody', async (t) => {
    const { play, peer, other } = await startPlayground(t);
    const table: readonly (readonly [string, JsonObject, RegExp])[] = [
      ['no models', { models: [] }, /models/],
      ['9 models', { models: Array(9).fill(one) }, /models/],
      ['models that are no list', { models: one }, /models/],
      ['a model without a name', { models: [{ virtual_key: 'prov-shop' }] }, /model/],
      ['an empty name', { models: [{ model: '' }] }, /model/],
      ['an unknown member of a model', { models: [{ ...one, stream: true }] }, /stream/],
      ['a config in JSON', { models: [{ ...one, config: '{"provider":"openai"}' }] }, /config/],
      ['a config that forges a header', { models: [{ ...one, config: 'a\r\nx-gw-trace-id: b' }] }, /config/],
      ['messages as a parameter', { models: [{ ...one, parameters: { messages: [] } }] }, /messages/],
      ['parameters that are a list', { models: [{ ...one, parameters: [] }] }, /parameters/],
      ['an empty template', { string: '' }, /string/],
      ['a template that is too long', { string: 'a'.repeat(256_001) }, /string/],
      ['too many tags', { string: '{{a}}'.repeat(2_001) }, /tags/],
      ['variables that are a list', { variables: ['a'] }, /variables/],
      ['variables that are too deep', { variables: { a: deep() } }, /variables\.a/],
      ['another type of template', { template_metadata: { template_type: 'image' } }, /template_type/],
      ['a partial that is not there', { string: 'a {{>pp-none}} {{>pp-neither@3}}' }, /"pp-none", "pp-neither@3"/],
      ['such a partial in a variable', { string: 'a {{>>p}}', variables: { p: 'pp-none' } }, /"pp-none"/],
      ['a malformed reference', { string: 'a {{>>p}}', variables: { p: 'a b' } }, /a b/],
      ['a stream that is no boolean', { stream: 'yes' }, /stream/],
    ];
    for (const [what, body, message] of table) {
      for (const stream of [false, true]) {
        const reply = await play({ stream, ...body });
        assert.match(refusal(reply, 400).message, message, what);
      }
    }
    assert.deepEqual([peer.requests.length, other.requests.length], [0, 0]);
  });

  it('keys without the permission, and those of the organisation', async (t) => {
    const { play, peer, ask, shop, c } = await startPlayground(t);
    const made = async (where: string, scopes: readonly string[], more: JsonObject) =>
      String((await ask('POST', `/v1/api-keys/${where}/service`, { name: where, scopes, ...more })).key);
    const reader = await made('workspace', ['prompts.render', 'prompts.read'], { workspace_id: shop.workspaceId });
    assert.match(refusal(await play({}, reader), 403).message, /completions\.write/);
    refusal(await play({}, c.adminKey), 403);
    // With every permission there is, the organisation's key is still in no workspace.
    for (const more of [{}, { workspace_id: shop.workspaceId }])
      for (const stream of [false, true]) {
        const reply = await c.call('POST', path, { body: { string: 'a', models: [one], stream, ...more } });
        assert.match(refusal(reply, 403).message, /made in a workspace/);
      }
    refusal(await play({}, 'unknown-key'), 401);
    assert.equal((await c.gateway.control?.store.db('prompts'))?.length, 0);
    assert.equal(peer.requests.length, 0);
  });

  it('other methods', async (t) => {
    const { c, key } = await startPlayground(t);
    for (const method of ['PATCH', 'OPTIONS']) assert.equal((await c.call(method, path, { key })).status, 405, method);
  });
});

describe('the workspace of a playground', () => {
  it('is that of its key: the providers and partials of others are unknown', async (t) => {
    const { play, peer, ask } = await startPlayground(t);
    const other = await ask('POST', '/v1/admin/workspaces', { name: 'Other' });
    const partial = await ask('POST', '/v1/prompts/partials', {
      name: 'Theirs',
      string: 'secret',
      workspace_id: String(other.id),
    });
    const key = await ask('POST', '/v1/api-keys/workspace/service', {
      name: 'Other',
      workspace_id: String(other.id),
      scopes: ['completions.write'],
    });
    refusal(await play({ string: `a {{>${partial.slug}}}` }), 400);
    const results = resultsOf(await play({ models: [...both] }, String(key.key)));
    assert.deepEqual(
      results.map(({ status }) => status),
      [400, 400],
    );
    assert.equal(peer.requests.length, 0);
  });

  it('is told where no requests to models are served', async (t) => {
    const { play } = await startPlayground(t, { settings: { inference: false } });
    for (const { status, error, request_id } of resultsOf(await play())) {
      assert.deepEqual([status, request_id], [400, undefined]);
      assert.match(String(asObject(error)?.message), /serves no requests to models/);
    }
  });
});
