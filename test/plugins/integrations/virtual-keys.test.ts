import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { caller, onEachPlane } from './plane.ts';

const secret = 'sk-virtual-key-secret-value';

onEachPlane((plane) => {
  const post = (more: JsonObject = {}) =>
    plane().call('POST', '/virtual-keys', {
      name: 'Virtual',
      provider: 'openai',
      key: secret,
      workspace_id: 'ws-a',
      ...more,
    });
  const path = (slug: string) => `/virtual-keys/${slug}?workspace_id=ws-a`;
  const get = async (slug: string) => (await plane().call('GET', path(slug))).body;

  describe('a virtual key', () => {
    it('answers its creation in both shapes', async () => {
      const { body } = await post();
      assert.match(body.slug, /^virtua-[0-9a-f]{6}$/);
      const { slug, id } = body;
      assert.deepEqual(body, { success: true, slug, id, data: { slug, id } });
    });

    it('reads as it was recorded', async () => {
      const { body } = await post({ note: 'n', tags: { a: 'b' } });
      const { created_at, last_updated_at, integration_id, workspace_id, ...shown } = await get(body.slug);
      assert.deepEqual(shown, {
        provider: 'openai',
        id: body.id,
        ai_provider_name: 'openai',
        model_config: {},
        key: '',
        masked_api_key: 'sk*****lue',
        slug: body.slug,
        name: 'Virtual',
        note: 'n',
        status: 'active',
        usage_limits: null,
        reset_usage: null,
        rate_limits: [],
        expires_at: null,
        last_reset_at: null,
        tags: { a: 'b' },
        secret_mappings: [],
        object: 'virtual-key',
      });
    });

    it('takes what was read of it back, and changes what differs', async () => {
      const deploymentConfig = [{ apiVersion: '2024-10-21', deploymentName: 'd1', alias: 'fast', is_default: true }];
      for (const more of [{}, { provider: 'azure-openai', resourceName: 'acme', deploymentConfig }]) {
        const { body } = await post(more);
        const { last_updated_at: _, ...read } = await get(body.slug);
        const put = await plane().call('PUT', path(body.slug), { ...(read as unknown as JsonObject), note: 'changed' });
        assert.equal(put.status, 200, JSON.stringify(put.body));
        const { last_updated_at: __, ...kept } = await get(body.slug);
        assert.deepEqual(kept, { ...read, note: 'changed' });
      }
    });

    it('of a shared integration takes back what was read of its credentials, and nothing else', async () => {
      const configurations = { openai_project: 'proj', custom_host: 'https://ai.example.com/v1' };
      const integration = { name: 'Shared', ai_provider_id: 'openai', key: secret, configurations };
      const { id } = (await plane().call('POST', '/integrations', integration)).body;
      const default_provider_slug = 'read-back';
      const workspaces = [{ id: 'ws-a', enabled: true, default_provider_slug }];
      await plane().call('PUT', `/integrations/${id}/workspaces`, { workspaces });
      const read = await get(default_provider_slug);
      const put = await plane().call('PUT', path(default_provider_slug), {
        ...(read as unknown as JsonObject),
        note: 'mine',
      });
      assert.equal(put.status, 200, JSON.stringify(put.body));
      assert.equal((await get(default_provider_slug)).note, 'mine');
      for (const other of [{ key: 'sk-another' }, { model_config: { openai_project: 'other' } }])
        assert.equal((await plane().call('PUT', path(default_provider_slug), other)).status, 400);
    });

    it('is a provider too, whose integration is not seen', async () => {
      const { body } = await post();
      const provider = (await plane().call('GET', `/providers/${body.slug}?workspace_id=ws-a`)).body;
      assert.equal(provider.id, body.id);
      assert.equal((await plane().call('GET', `/integrations/${provider.integration_id}`)).status, 404);
      const listed = (await plane().call('GET', '/integrations?page_size=1000')).body.data;
      assert.equal(
        listed.some((one) => one.id === provider.integration_id),
        false,
      );
    });

    it('keeps the deployments of Azure under the older names', async () => {
      const deploymentConfig = [{ apiVersion: '2024-10-21', deploymentName: 'd1', alias: 'fast', is_default: true }];
      const { body } = await post({ provider: 'azure-openai', resourceName: 'acme', deploymentConfig });
      assert.deepEqual((await get(body.slug)).model_config, {
        azure_auth_mode: 'default',
        resourceName: 'acme',
        deploymentConfig,
      });
    });

    it('takes its credentials under names in snake case too, as the official client writes them', async () => {
      const azure = { provider: 'azure-openai', resource_name: 'acme', deployment_name: 'd1', api_version: 'v1' };
      const { body } = await post(azure);
      assert.deepEqual((await get(body.slug)).model_config, {
        azure_auth_mode: 'default',
        resourceName: 'acme',
        deploymentConfig: [{ apiVersion: 'v1', deploymentName: 'd1', is_default: true }],
      });
    });

    it('takes one deployment by its members', async () => {
      const azure = { provider: 'azure-openai', resourceName: 'acme', deploymentName: 'd1', apiVersion: 'v1' };
      const { body } = await post(azure);
      assert.deepEqual((await get(body.slug)).model_config.deploymentConfig, [
        { apiVersion: 'v1', deploymentName: 'd1', is_default: true },
      ]);
    });

    it('takes null for what it does not have', async () => {
      const { status, body } = await post({
        slug: null,
        apiVersion: null,
        resourceName: null,
        deploymentName: null,
        deploymentConfig: null,
        note: null,
        tags: null,
        secret_mappings: null,
        expires_at: null,
      });
      assert.equal(status, 200);
      const shown = await get(body.slug);
      assert.deepEqual([shown.model_config, shown.masked_api_key], [{}, 'sk*****lue']);
    });

    it('refuses an unknown provider, and a call without a workspace', async () => {
      assert.equal((await post({ provider: 'nobody' })).body.error.param, 'provider');
      const { status, body } = await plane().call('POST', '/virtual-keys', { name: 'X', provider: 'openai' });
      assert.deepEqual([status, body.error.param], [400, 'workspace_id']);
    });

    it('never changes its provider', async () => {
      const { body } = await post();
      const reply = await plane().call('PUT', path(body.slug), { provider: 'anthropic' });
      assert.deepEqual([reply.status, reply.body.error.param], [400, 'provider']);
    });

    it('gets a new key, a new name and a budget by an update, and keeps the rest', async () => {
      const { body } = await post({ note: 'n', model_config: { openai_organization: 'org' } });
      const reply = await plane().call('PUT', path(body.slug), {
        name: 'Renamed',
        provider: 'openai',
        key: 'sk-another-secret-xyz',
        usage_limits: { credit_limit: 3 },
      });
      assert.equal(reply.body.success, true);
      const shown = await get(body.slug);
      assert.deepEqual(
        [shown.name, shown.note, shown.masked_api_key, shown.usage_limits?.credit_limit, shown.model_config],
        ['Renamed', 'n', 'sk*****xyz', 3, { openai_organization: 'org' }],
      );
      const entry = await plane().load('provider', plane().organisationId, plane().a, body.slug);
      assert.deepEqual(entry?.settings, { api_key: 'sk-another-secret-xyz', openai_organization: 'org' });
    });

    it('does not change the credentials of an integration that others use', async () => {
      const integration = { name: 'I', ai_provider_id: 'openai', workspace_id: 'ws-a', default_provider_slug: 'face' };
      await plane().call('POST', '/integrations', integration);
      const reply = await plane().call('PUT', path('face'), { key: 'sk-not-here-please' });
      assert.deepEqual([reply.status, reply.body.error.param], [400, 'key']);
      assert.equal((await plane().call('PUT', path('face'), { note: 'fine' })).status, 200);
    });

    it('takes its credentials along when it is removed', async () => {
      const { body } = await post();
      const { integration_id } = await get(body.slug);
      assert.deepEqual((await plane().call('DELETE', path(body.slug))).body, {});
      const row = await plane().db('integrations').where({ id: integration_id }).first();
      assert.deepEqual([row.status, row.sealed], ['archived', null]);
    });

    it('needs a permission of virtual keys or of providers', async () => {
      const { body } = await post();
      const status = async (scope: string) =>
        (await plane().call('GET', `/virtual-keys/${body.id}`, undefined, caller([scope], plane().a))).status;
      assert.deepEqual(
        [await status('virtual_keys.read'), await status('providers.read'), await status('configs.read')],
        [200, 200, 403],
      );
    });

    it('is listed with its provider and the name of its workspace', async () => {
      const { body } = await post();
      const reply = await plane().call('GET', '/virtual-keys?workspace_id=ws-a&page_size=1000');
      const found = reply.body.data.find((one) => one.id === body.id);
      assert.deepEqual([found?.provider, found?.workspace_name], ['openai', 'ws-a']);
      assert.equal(reply.body.object, 'list');
    });

    it('is listed with the name of its workspace in the list of the whole organisation too', async () => {
      const { body } = await post();
      const reply = await plane().call('GET', '/virtual-keys?page_size=1000');
      assert.equal(reply.body.data.find((one) => one.id === body.id)?.workspace_name, 'ws-a');
    });
  });
});
