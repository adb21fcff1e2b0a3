import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';
import { embeddedSettings } from '../../support/log-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-misspelt-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const key = { name: 'A key', scopes: ['completions.write'] };
const vault = {
  name: 'A secret',
  manager_type: 'hashicorp_vault',
  auth_config: { vault_auth_type: 'token', vault_addr: 'https://vault.example.com', vault_token: 'token-of-a' },
  secret_path: 'kv/data/a',
};
const budget = { type: 'cost', credit_limit: 10, group_by: [{ key: 'api_key' }] };
const conditions = [{ key: 'metadata.team', value: '*' }];
const limits = '/v1/policies/usage-limits';
const toKeys = '/v1/api-keys/workspace/service';

/** Method, path, body, the member that is refused, and the one that was meant. */
const misspelt: readonly [string, string, JsonObject, string, string][] = [
  ['POST', toKeys, { ...key, usage_limit: { credit_limit: 1 } }, 'usage_limit', 'usage_limits'],
  ['POST', toKeys, { ...key, expire_at: '2030-01-01T00:00:00Z' }, 'expire_at', 'expires_at'],
  ['POST', toKeys, { ...key, rateLimits: [] }, 'rateLimits', 'rate_limits'],
  ['POST', toKeys, { ...key, usage_limits: { credit_limt: 10 } }, 'usage_limits.credit_limt', 'credit_limit'],
  ['POST', toKeys, { ...key, usage_limits: [{ cerdit_limit: 1 }] }, 'usage_limits[0].cerdit_limit', 'credit_limit'],
  ['POST', toKeys, { ...key, defaults: { input_guardrail: [] } }, 'defaults.input_guardrail', 'input_guardrails'],
  ['PUT', '/v1/organisation', { block_inline_configs: true }, 'block_inline_configs', 'block_inline_config'],
  ['PUT', '/v1/organisation', { auth_settings: { jwks_uri: 'x' } }, 'auth_settings.jwks_uri', 'jwks_url'],
  [
    'POST',
    limits,
    { ...budget, conditions: [{ key: 'metadata.team', value: '*', exclude: 'a' }] },
    'conditions[0].exclude',
    'excludes',
  ],
  ['POST', limits, { ...budget, conditions, periodic_rest: 'weekly' }, 'periodic_rest', 'periodic_reset'],
  [
    'POST',
    '/v1/secret-references',
    { ...vault, allowed_workspace: ['ws-a'] },
    'allowed_workspace',
    'allowed_workspaces',
  ],
  [
    'POST',
    '/v1/deployments',
    { name: 'One', type: 'production', auth_settings: { workspace_allowed: ['ws-a'] } },
    'auth_settings.workspace_allowed',
    'workspaces_allowed',
  ],
  [
    'POST',
    '/v1/logs/exports',
    { filters: { api_key_id: 'one' }, requested_data: ['id'] },
    'filters.api_key_id',
    'api_key_ids',
  ],
];

/** List, parameter that is refused, and the one that was meant; none where it is no filter of the list. */
const strayParameters: readonly (readonly [string, string, string?])[] = [
  ['/v1/configs', 'workspace_ids', 'workspace_id'],
  ['/v1/configs', 'pagesize', 'page_size'],
  ['/v1/configs', 'name'],
  ['/v1/users', 'emails', 'email'],
  ['/v1/api-keys', 'status'],
  ['/v1/api-keys', 'user_id'],
  ['/v1/virtual-keys', 'name'],
  ['/v1/integrations', 'slug'],
  ['/v1/prompts', 'collection_ids', 'collection_id'],
  ['/v1/policies/usage-limits', 'credit_limit'],
  ['/v1/workspaces', 'exactname', 'exact_name'],
  ['/v1/logs', 'virtual_key', 'virtual_keys'],
  ['/v1/logs', 'status'],
  ['/v1/analytics/graphs/cost', 'api_key_id', 'api_key_ids'],
];

/** What SDKs send, known or not. */
const harmlessQueries = [
  '/v1/configs?workspaceId=x&organisation_id=y&sort=up',
  '/v1/logs/exports?workspaceId=x&workspace_id=',
  '/v1/users?pageSize=1&currentPage=0&workspace_id=x',
  '/v1/secret-references?workspace_id=x',
  '/v1/labels?search=a&page_size=1',
];

/** What real clients send beside what is asked for, and what was read before. */
const harmless: readonly [string, string, JsonObject][] = [
  ['POST', toKeys, { ...key, type: 'workspace', 'sub-type': 'service', is_default: 0, anything: { else: 1 } }],
  ['POST', toKeys, { ...key, usage_limits: { credit_limit: 10, current_usage: 3, status: 'active' } }],
  ['POST', toKeys, { ...key, workspaceId: 'other', userId: 'someone' }],
  ['POST', toKeys, { ...key, usage_limit: null, usage_limits: null }],
  ['PUT', '/v1/organisation', { id: 'x', slug: 'y', created_at: 1, object: 'organisation' }],
];

describe('a member of a body that no route knows', () => {
  it('is refused where it is a letter away from one that is missing', async (t) => {
    const control = await startControl(t);
    const { default_workspace_id: workspace_id } = await control.ok('GET', '/v1/organisation');
    for (const [method, path, given, param, meant] of misspelt) {
      const body = path.startsWith('/v1/organisation') ? given : { ...given, workspace_id: workspace_id ?? null };
      const { status, json } = await control.call(method, path, { body, key: control.adminKey });
      const { error } = json as { error?: JsonObject };
      assert.deepEqual([status, error?.param], [400, param], JSON.stringify(json));
      assert.match(String(error?.message), new RegExp(`Did you mean ${meant}\\?`));
    }
  });

  it('is dropped where it resembles none, or what it resembles is there', async (t) => {
    const control = await startControl(t);
    const { default_workspace_id: workspace_id } = await control.ok('GET', '/v1/organisation');
    for (const [method, path, given] of harmless) {
      const body = { ...given, workspace_id: workspace_id ?? null };
      const { status, text } = await control.call(method, path, { body, key: control.adminKey });
      assert.equal(status, 200, text);
    }
  });

  it('is dropped where replies have it: what was read may be sent back', async (t) => {
    const control = await startControl(t);
    const { default_workspace_id: workspace_id = null } = await control.ok('GET', '/v1/organisation');
    const made = {
      config: { workspace_id, name: 'A config', config: { provider: 'echo' } },
      label: { workspace_id, name: 'a-label' },
    };
    for (const [path, body] of [
      ['/v1/configs', made.config],
      ['/v1/labels', made.label],
      ['/v1/collections', made.label],
      [limits, { ...budget, conditions, workspace_id }],
      [toKeys, { ...key, workspace_id }],
      ['/v1/workspaces', { name: 'Another' }],
    ] as const) {
      const { id } = await control.ok('POST', path, { body, key: control.adminKey });
      const item = `${path === toKeys ? '/v1/api-keys' : path}/${id}`;
      const read = asObject(await control.ok('GET', item, { key: control.adminKey })) ?? {};
      await control.ok('PUT', item, { body: read, key: control.adminKey });
    }
  });
});

describe('a parameter of a query that no list knows', () => {
  it('is refused where it is a letter away from one that is missing, or filters elsewhere', async (t) => {
    const control = await startControl(t, { config: { logs: embeddedSettings(folder) } });
    const { default_workspace_id: workspace } = await control.ok('GET', '/v1/organisation');
    for (const [path, name, meant] of strayParameters) {
      const query = name.startsWith('workspace') ? '' : `workspace_id=${workspace}&`;
      const { status, json } = await control.call('GET', `${path}?${query}${name}=x`, { key: control.adminKey });
      const { param, message } = asObject(json.error) ?? {};
      assert.deepEqual([status, param], [400, name], `${path}: ${JSON.stringify(json)}`);
      assert.match(
        String(message),
        new RegExp(
          meant === undefined ? `^This list cannot be filtered by ${name}\\. It takes ` : `Did you mean ${meant}\\?`,
        ),
      );
    }
  });

  it('is dropped where it could be no filter', async (t) => {
    const control = await startControl(t);
    for (const path of harmlessQueries) await control.ok('GET', path, { key: control.adminKey });
  });
});
