import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';

const grouped = { conditions: [{ key: 'metadata.team', value: '*' }], group_by: [{ key: 'api_key' }] };
const vault = {
  name: 'A secret',
  manager_type: 'hashicorp_vault',
  auth_config: { vault_auth_type: 'token', vault_addr: 'https://vault.example.com', vault_token: 'token-of-a' },
  secret_path: 'kv/data/a',
};
const check = { id: 'default.contains', parameters: { words: ['x'], operator: 'any' } };

/** Where it is made, where it is changed, what it is made of, and changes that are refused by the name of the member. */
const kinds: readonly (readonly [make: string, at: string, body: JsonObject, changes: JsonObject])[] = [
  [
    '/v1/policies/usage-limits',
    '/v1/policies/usage-limits',
    { ...grouped, type: 'cost', credit_limit: 10 },
    { type: 'tokens', group_by: [{ key: 'model' }], organisation_id: 'another' },
  ],
  [
    '/v1/policies/rate-limits',
    '/v1/policies/rate-limits',
    { ...grouped, type: 'requests', unit: 'rpm', value: 1 },
    { type: 'tokens', group_by: [] },
  ],
  [
    '/v1/secret-references',
    '/v1/secret-references',
    vault,
    { manager_type: 'aws_sm', slug: 'other', status: 'archived' },
  ],
  ['/v1/integrations', '/v1/integrations', { name: 'One', ai_provider_id: 'echo' }, { status: 'archived' }],
  ['/v1/configs', '/v1/configs', { name: 'One', config: { provider: 'echo' } }, { slug: 'other', id: 'other' }],
  [
    '/v1/guardrails',
    '/v1/guardrails',
    { name: 'One', checks: [check], actions: {} },
    { slug: 'other', status: 'archived' },
  ],
  [
    '/v1/collections',
    '/v1/collections',
    { name: 'One' },
    { parent_collection_id: 'other', slug: 'other', status: 'archived' },
  ],
  [
    '/v1/prompts',
    '/v1/prompts',
    { name: 'One', string: 'Hi', parameters: {}, virtual_key: 'any' },
    { slug: 'other', organisation_id: 'another' },
  ],
  [
    '/v1/api-keys/workspace/service',
    '/v1/api-keys',
    { name: 'One', scopes: ['completions.write'] },
    { user_id: 'x', status: 'inactive' },
  ],
];

it('what stays as it was made is refused where it changes, and may be sent back as it was read', async (t) => {
  const control = await startControl(t);
  const { default_workspace_id: workspace_id = null, slug = null } = await control.ok('GET', '/v1/organisation');
  for (const [make, at, body, changes] of kinds) {
    const { id } = await control.ok('POST', make, { body: { ...body, workspace_id } });
    const path = `${at}/${id}`;
    for (const [name, value] of Object.entries(changes)) {
      const { status, json } = await control.call('PUT', path, { body: { [name]: value, name: 'Two' } });
      const { param, message } = asObject(json.error) ?? {};
      assert.deepEqual([status, param], [400, name], `${path}: ${JSON.stringify(json)}`);
      assert.match(String(message), new RegExp(`^${name} cannot be changed\\. Leave it out, or send `));
    }
    const read = await control.ok('GET', path);
    assert.notEqual(read.name, 'Two');
    const same = Object.fromEntries(Object.keys(changes).map((name) => [name, read[name] ?? null]));
    await control.ok('PUT', path, { body: { ...same, name: 'Three' } });
    if (slug !== null) await control.ok('PUT', path, { body: { organisation_id: slug, name: 'Four' } });
  }
});
