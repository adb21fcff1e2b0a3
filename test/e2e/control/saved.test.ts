import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import type { Reply } from '../../support/gateway.ts';
import { noUnhandledRejections } from '../../support/rejections.ts';
import { furnish } from './furnish.ts';
import { messages, refusal, startWorld, type World } from './world.ts';

noUnhandledRejections();

/** A config that tells the upstream its name, in the field `user`. */
async function configOf({ ask, shop }: World, user: string): Promise<string> {
  const config = { provider: `@${shop.provider}`, override_params: { user } };
  return String((await ask('POST', '/v1/configs', { name: user, workspace_id: shop.workspaceId, config })).slug);
}

async function keyOf(
  { ask, shop }: World,
  more: JsonObject = {},
): Promise<{ readonly id: string; readonly key: string }> {
  const made = await ask('POST', '/v1/api-keys/workspace/service', {
    name: 'Key',
    workspace_id: shop.workspaceId,
    scopes: ['completions.write'],
    ...more,
  });
  return { id: String(made.id), key: String(made.key) };
}

function served({ peer }: World, reply: Reply): unknown {
  assert.equal(reply.status, 200, reply.text);
  return peer.requests.at(-1)?.body.user;
}

describe('what serves a request that names no config', () => {
  it('is the config of the request, else of its key, its workspace, its organisation', async (t) => {
    const world = await startWorld(t);
    const { chat, ask, shop } = world;
    const [request = '', ofKey = '', ofWorkspace = '', ofOrganisation = ''] = await Promise.all(
      ['request', 'key', 'workspace', 'organisation'].map((name) => configOf(world, name)),
    );
    const plain = (await keyOf(world)).key;
    const keyed = (await keyOf(world, { defaults: { config_id: ofKey } })).key;
    refusal(await chat(plain), 400);

    await ask('PUT', '/v1/organisation', { defaults: { config_id: ofOrganisation } });
    assert.equal(served(world, await chat(plain)), 'organisation');
    await ask('PUT', `/v1/admin/workspaces/${shop.workspaceId}`, { defaults: { config_id: ofWorkspace } });
    assert.equal(served(world, await chat(plain)), 'workspace');
    assert.equal(served(world, await chat(keyed)), 'key');
    assert.equal(served(world, await chat(keyed, { 'x-gw-config': request })), 'request');
    assert.equal(served(world, await chat(plain, { 'x-gw-config': request })), 'request');
    await ask('PUT', `/v1/admin/workspaces/${shop.workspaceId}`, { defaults: { config_id: null } });
    assert.equal(served(world, await chat(plain)), 'organisation');
    await ask('PUT', `/v1/configs/${request}`, { is_default: 1 });
    assert.equal(served(world, await chat(plain)), 'request', 'the one that is marked as the default of its workspace');

    const pinned = (await keyOf(world, { defaults: { config_id: ofKey, allow_config_override: false } })).key;
    assert.equal(served(world, await chat(pinned)), 'key');
    refusal(await chat(pinned, { 'x-gw-config': request }), 400);
  });
});

describe('metadata', () => {
  it('is that of the workspace before that of the key before that of the request', async (t) => {
    const world = await startWorld(t);
    const { chat, ask, shop } = world;
    const target = (name: string) => ({ name, provider: `@${shop.provider}`, override_params: { user: name } });
    const conditions = ['workspace', 'key', 'request'].map((then) => ({
      query: { 'metadata.from': { $eq: then } },
      then,
    }));
    const config = {
      strategy: { mode: 'conditional', conditions, default: 'none' },
      targets: ['workspace', 'key', 'request', 'none'].map(target),
    };
    const made = await ask('POST', '/v1/configs', { name: 'By metadata', workspace_id: shop.workspaceId, config });
    const from = async (key: string, header?: string) => {
      const given: Record<string, string> =
        header === undefined ? {} : { 'x-gw-metadata': JSON.stringify({ from: header }) };
      return served(world, await chat(key, { 'x-gw-config': String(made.slug), ...given }));
    };
    const plain = (await keyOf(world)).key;
    const keyed = (await keyOf(world, { defaults: { metadata: { from: 'key' } } })).key;
    assert.deepEqual([await from(plain), await from(plain, 'request')], ['none', 'request']);
    assert.deepEqual([await from(keyed), await from(keyed, 'request')], ['key', 'key']);
    await ask('PUT', `/v1/admin/workspaces/${shop.workspaceId}`, { defaults: { metadata: { from: 'workspace' } } });
    assert.deepEqual([await from(plain), await from(keyed), await from(keyed, 'request')], Array(3).fill('workspace'));
  });
});

describe('block_inline_config', () => {
  it('holds from the call after the one that turned it on, and no longer than until it is turned off', async (t) => {
    const world = await startWorld(t);
    const { chat, ask, shop, peer } = world;
    const inline = { 'x-gw-config': JSON.stringify({ provider: `@${shop.provider}` }) };
    const bare = { 'x-gw-provider': 'openai', 'x-gw-custom-host': `${peer.origin}/v1`, authorization: 'Bearer own' };
    assert.equal((await chat(shop.key, inline)).status, 200);
    assert.equal((await chat(shop.key, bare)).status, 200);
    await ask('PUT', '/v1/organisation', { data_plane_security_settings: { block_inline_config: true } });
    assert.equal(refusal(await chat(shop.key, inline), 400).code, 'inline_config_blocked');
    assert.equal(refusal(await chat(shop.key, bare), 400).code, 'inline_provider_blocked');
    for (const headers of [
      { 'x-gw-config': shop.config },
      { 'x-gw-virtual-key': shop.provider },
      { 'x-gw-provider': `@${shop.provider}` },
    ]) {
      const reply = await chat(shop.key, headers);
      assert.equal(reply.status, 200, reply.text);
    }
    await ask('PUT', '/v1/organisation', { data_plane_security_settings: { block_inline_config: false } });
    assert.equal((await chat(shop.key, inline)).status, 200);
  });
});

describe('GET /v1/models', () => {
  it("lists the models of the workspace's providers, and counts them all", async (t) => {
    const { c, ask, shop, peer } = await startWorld(t);
    const other = await furnish(ask, peer.origin, 'Other');
    for (const { integration, models } of [
      { integration: shop.integration, models: ['alpha', 'beta', 'gamma', 'off'] },
      { integration: other.integration, models: ['foreign'] },
    ]) {
      await ask('PUT', `/v1/integrations/${integration}/models`, {
        allow_all_models: false,
        models: models.map((slug) => ({ slug, enabled: slug !== 'off', is_custom: true })),
      });
    }
    const list = async (query: string) => (await c.call('GET', `/v1/models${query}`, { key: shop.key })).json;
    const { object, data, total_count } = await list('');
    const idsOf = (rows: unknown) => (rows as readonly JsonObject[]).map(({ id }) => id);
    assert.deepEqual(
      [object, idsOf(data), total_count],
      ['list', ['alpha', 'beta', 'gamma'].map((model) => `@${shop.provider}/${model}`), 3],
    );
    const page = await list('?limit=1&offset=1');
    assert.deepEqual([idsOf(page.data), page.total_count], [[`@${shop.provider}/beta`], 3]);
    const searched = await list('?search=gam');
    assert.deepEqual([idsOf(searched.data), searched.total_count], [[`@${shop.provider}/gamma`], 1]);

    const asked = (model: string) =>
      c.call('POST', '/v1/chat/completions', {
        key: shop.key,
        body: { model: `@${shop.provider}/${model}`, messages },
      });
    assert.equal((await asked('alpha')).status, 200);
    const { message } = refusal(await asked('off'), 400);
    assert.match(message, /off/);
  });
});

describe('what no longer holds', () => {
  it('is named: a virtual key that does not exist', async (t) => {
    const { chat, shop, peer } = await startWorld(t);
    const { message } = refusal(await chat(shop.key, { 'x-gw-virtual-key': 'no-such-key' }), 400);
    assert.match(message, /no-such-key/);
    assert.equal(peer.requests.length, 0);
  });

  it('is a key that has expired, to the millisecond and without any change', async (t) => {
    const world = await startWorld(t);
    const { c, chat, shop } = world;
    const expires = new Date(c.now() + 60_000).toISOString();
    const { key } = await keyOf(world, { expires_at: expires });
    const named = { 'x-gw-config': shop.config };
    assert.equal((await chat(key, named)).status, 200);
    c.advance(60_000);
    const { message } = refusal(await chat(key, named), 401);
    assert.match(message, /expired/);
    assert.equal((await chat(shop.key, named)).status, 200);
  });

  it('are the keys of a workspace that was archived', async (t) => {
    const { chat, shop, ask, peer } = await startWorld(t);
    const other = await furnish(ask, peer.origin, 'Other');
    const calls = [shop, other].map(
      ({ key, config }) =>
        () =>
          chat(key, { 'x-gw-config': config }),
    );
    for (const call of calls) assert.equal((await call()).status, 200);
    await ask('DELETE', `/v1/admin/workspaces/${shop.workspaceId}`, { name: 'Shop', force_delete: true });
    assert.deepEqual(await Promise.all(calls.map(async (call) => (await call()).status)), [401, 200]);
  });

  it('are the providers of an integration that was taken from the workspace, until it is given back', async (t) => {
    const { chat, shop, ask } = await startWorld(t);
    const names = [
      { 'x-gw-config': shop.config },
      { 'x-gw-virtual-key': shop.provider },
      { 'x-gw-provider': `@${shop.provider}` },
    ];
    const statuses = async () => {
      const replies = await Promise.all(names.map((headers) => chat(shop.key, headers)));
      return replies.map(({ status }) => status);
    };
    const give = (enabled: boolean) =>
      ask('PUT', `/v1/integrations/${shop.integration}/workspaces`, {
        workspaces: [{ id: shop.workspaceId, enabled }],
      });
    assert.deepEqual(await statuses(), [200, 200, 200]);
    await give(false);
    assert.deepEqual(await statuses(), [400, 400, 400]);
    await give(true);
    assert.deepEqual(await statuses(), [200, 200, 200]);
    await ask('DELETE', `/v1/integrations/${shop.integration}`);
    assert.deepEqual(await statuses(), [400, 400, 400]);
  });

  it('is a credential that was replaced: the next call has the new one', async (t) => {
    const { chat, shop, ask, peer } = await startWorld(t);
    const call = async () => {
      assert.equal((await chat(shop.key, { 'x-gw-config': shop.config })).status, 200);
      return peer.requests.at(-1)?.headers.authorization;
    };
    assert.equal(await call(), shop.authorization);
    await ask('PUT', `/v1/integrations/${shop.integration}`, { key: 'sk-new' });
    assert.equal(await call(), 'Bearer sk-new');
  });
});
