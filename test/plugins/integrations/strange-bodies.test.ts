import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from 'portcullis/sdk';
import { onEachPlane } from './plane.ts';

/** Members that the routes know, with values of any kind: most bodies get past the first check. */
const known = [
  'configurations',
  'model_config',
  'secret_mappings',
  'pricing_adjustments',
  'usage_limits',
  'rate_limits',
  'expires_at',
  'tags',
  'key',
  'deploymentConfig',
  'resourceName',
  'models',
  'allow_all_models',
  'workspaces',
  'global_workspace_access',
  'override_existing_workspace_access',
  'default_provider_slug',
  'reset_usage',
];
const inner = [
  'slug',
  'id',
  'enabled',
  'credit_limit',
  'type',
  'unit',
  'value',
  'custom_host',
  'custom_headers',
  'azure_deployment_config',
  'target_field',
  'secret_reference_id',
  'multiplier',
  'pricing_config',
  'constructor',
  '__proto__',
];
const scalar = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constantFrom(null, '', 'ws-a', 'key', 'rpm', 'requests', 'http://[::1]/', 'https://a b'),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc
    .array(fc.tuple(fc.constantFrom(...inner), tie('value')), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries)),
}));
const body = fc
  .array(fc.tuple(fc.constantFrom(...known), value), { minLength: 1, maxLength: 4 })
  .map((entries) => Object.fromEntries(entries) as JsonObject);

onEachPlane((plane) => {
  it('answers every body, however strange, with a reply that is no fault of its own', async () => {
    const base = { name: 'F', ai_provider_id: 'azure-openai', provider: 'azure-openai', workspace_id: 'ws-a' };
    const made = await plane().call('POST', '/integrations', { name: 'F', ai_provider_id: 'openai' });
    const key = await plane().call('POST', '/virtual-keys', { name: 'F', provider: 'openai', workspace_id: 'ws-a' });
    const routes = [
      ['POST', '/integrations', base],
      ['POST', '/virtual-keys', base],
      ['PUT', `/integrations/${made.body.id}`, {}],
      ['PUT', `/integrations/${made.body.id}/models`, {}],
      ['PUT', `/integrations/${made.body.id}/workspaces`, {}],
      ['PUT', `/virtual-keys/${key.body.id}`, {}],
      ['PUT', `/providers/${key.body.id}`, {}],
    ] as const;
    const call = async (route: (typeof routes)[number], more: JsonObject) => {
      const [method, path, fixed] = route;
      const reply = await plane().call(method, path, { ...fixed, ...more });
      assert.ok(reply.status < 500, `${method} ${path} ${JSON.stringify(more)}: ${reply.text}`);
    };
    await fc.assert(fc.asyncProperty(fc.constantFrom(...routes), body, call), { numRuns: 150 });
  });
});
