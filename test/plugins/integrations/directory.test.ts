import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { onEachPlane } from './plane.ts';

onEachPlane((plane) => {
  let count = 0;
  const shared = async (more: JsonObject = {}): Promise<string> => {
    count += 1;
    const body = {
      name: `D${count}`,
      ai_provider_id: 'openai',
      key: 'sk-abcdefghijklmnop',
      slug: `d${count}`,
      ...more,
    };
    return (await plane().call('POST', '/integrations', body)).body.id;
  };
  const grant = (id: string, more: JsonObject) =>
    plane().call('PUT', `/integrations/${id}/workspaces`, {
      workspaces: [{ id: 'ws-a', enabled: true, default_provider_slug: `p-${id.slice(-8)}`, ...more }],
    });
  const entry = (id: string, workspace = plane().a) =>
    plane().load('provider', plane().organisationId, workspace, `p-${id.slice(-8)}`);

  describe('what the data plane knows of a provider', () => {
    it('is all that a request needs', async () => {
      const id = await shared({
        ai_provider_id: 'open-ai',
        pricing_adjustments: { multiplier: { default: 2 } },
        configurations: {
          openai_organization: 'org',
          custom_host: 'https://ai.example.com/v1',
          custom_headers: { 'X-Tenant': 'tenant-secret-value' },
        },
      });
      await grant(id, {
        usage_limits: { credit_limit: 7 },
        rate_limits: [{ type: 'requests', unit: 'rpm', value: 3 }],
      });
      await plane().call('PUT', `/integrations/${id}/models`, {
        allow_all_models: false,
        models: [
          {
            slug: 'gpt-4o',
            enabled: true,
            base_model_slug: 'base',
            configurations: {
              custom_host: 'https://other.example.com',
              custom_headers: { 'x-m': 'model-header-value' },
            },
            pricing_config: { type: 'static', pay_as_you_go: { request_token: { price: 1 } } },
          },
          { slug: 'off', enabled: false },
        ],
      });
      const found = await entry(id);
      const { id: providerId, ...rest } = found ?? { id: '' };
      assert.notEqual(providerId, '');
      assert.deepEqual(rest, {
        organisationId: plane().organisationId,
        slug: `p-${id.slice(-8)}`,
        name: `D${count}`,
        workspaceId: plane().a,
        integrationId: id,
        integrationSlug: `d${count}`,
        status: 'active',
        provider: 'openai',
        settings: { api_key: 'sk-abcdefghijklmnop', openai_organization: 'org' },
        customHost: 'https://ai.example.com/v1',
        customHeaders: { 'x-tenant': 'tenant-secret-value' },
        allowAllModels: false,
        models: [
          {
            slug: 'gpt-4o',
            enabled: true,
            base: 'base',
            customHost: 'https://other.example.com',
            customHeaders: { 'x-m': 'model-header-value' },
            pricing: { type: 'static', pay_as_you_go: { request_token: { price: 1 } } },
          },
          { slug: 'off', enabled: false },
        ],
        grantUsageLimits: {
          credit_limit: 7,
          type: 'cost',
          alert_threshold: null,
          periodic_reset: null,
          periodic_reset_days: null,
          next_usage_reset_at: null,
        },
        grantRateLimits: [{ type: 'requests', unit: 'rpm', value: 3 }],
        pricingMultiplier: { default: 2 },
      });
    });

    it('holds the deployments of Azure with the model that each is priced as, whatever its alias', async () => {
      const deployment = { azure_deployment_name: 'd1', azure_api_version: 'v1', azure_model_slug: 'gpt-4o' };
      const id = await shared({
        ai_provider_id: 'azure-openai',
        configurations: {
          azure_auth_mode: 'default',
          azure_resource_name: 'acme',
          azure_deployment_config: [
            { ...deployment, alias: 'fast' },
            { ...deployment, azure_deployment_name: 'd2' },
          ],
        },
      });
      await grant(id, {});
      assert.deepEqual((await entry(id))?.settings.deployments, [
        { deployment_id: 'd1', alias: 'fast', api_version: 'v1', model: 'gpt-4o' },
        { deployment_id: 'd2', alias: 'gpt-4o', api_version: 'v1', model: 'gpt-4o' },
      ]);
    });

    it('ends with the access of its workspace, and comes back with it', async () => {
      const id = await shared();
      await grant(id, {});
      assert.notEqual(await entry(id), undefined);
      await grant(id, { enabled: false });
      assert.equal(await entry(id), undefined);
      await grant(id, { enabled: true });
      assert.notEqual(await entry(id), undefined);
    });

    it('ends when its integration is archived', async () => {
      const id = await shared();
      await grant(id, {});
      await plane().call('DELETE', `/integrations/${id}`);
      assert.equal(await entry(id), undefined);
    });

    it('is nothing to another workspace', async () => {
      const id = await shared();
      await grant(id, {});
      assert.equal(await entry(id, plane().b), undefined);
    });

    it('says when it is expired, and when its grant is exhausted', async () => {
      const id = await shared();
      await grant(id, {});
      const slug = `p-${id.slice(-8)}`;
      const expires_at = Math.floor(plane().control.now() / 1000) + 60;
      await plane().call('PUT', `/providers/${slug}?workspace_id=ws-a`, { expires_at });
      assert.deepEqual([(await entry(id))?.status, (await entry(id))?.expiresAt], ['active', expires_at * 1000]);
      await plane().db('integration_workspaces').where({ integration_id: id }).update({ status: 'exhausted' });
      await plane().call('PUT', `/integrations/${id}`, { description: 'seen anew' });
      assert.equal((await entry(id))?.status, 'exhausted');
      plane().control.advance(60_000);
      await plane().call('PUT', `/integrations/${id}`, { description: 'and again' });
      assert.equal((await entry(id))?.status, 'expired');
    });

    it('leaves out rate limits that are switched off', async () => {
      const id = await shared();
      await grant(id, { rate_limits: [{ type: 'requests', unit: 'rpm', value: 0 }] });
      assert.equal((await entry(id))?.grantRateLimits, undefined);
    });

    it('names a provider that is not installed: its requests are refused by that name', async () => {
      const id = await shared({
        ai_provider_id: 'amazon-bedrock',
        key: null,
        configurations: {
          aws_auth_type: 'accessKey',
          aws_region: 'r',
          aws_secret_access_key: 'very-secret-access-key',
        },
      });
      await grant(id, {});
      const found = await entry(id);
      assert.equal(found?.provider, 'bedrock');
      assert.equal(found?.settings.aws_secret_access_key, 'very-secret-access-key');
    });
  });

  describe('the models of a workspace', () => {
    it('are the enabled ones of its live providers, under the names that requests use', async () => {
      const id = await shared();
      await grant(id, { id: 'ws-b' });
      await plane().call('PUT', `/integrations/${id}/models`, {
        models: [
          { slug: 'gpt-4o', enabled: true },
          { slug: 'off', enabled: false },
        ],
      });
      const provider = `p-${id.slice(-8)}`;
      const models = async () => {
        const known = await plane().load('models', plane().organisationId, plane().b);
        return known?.models.map(({ createdAt: _, ...rest }) => rest);
      };
      assert.deepEqual(await models(), [{ id: `@${provider}/gpt-4o`, slug: 'gpt-4o', provider, unit: 'openai' }]);
      await grant(id, { id: 'ws-b', enabled: false });
      assert.deepEqual(await models(), []);
    });
  });
});
