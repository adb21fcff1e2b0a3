import type { JsonObject } from 'portcullis/sdk';
import type { TestCaller, TestControl } from '../../support/control.ts';

export type Kind =
  | 'workspace'
  | 'user'
  | 'invite'
  | 'integration'
  | 'provider'
  | 'config'
  | 'guardrail'
  | 'collection'
  | 'prompt'
  | 'partial'
  | 'label'
  | 'key'
  | 'secret'
  | 'usage'
  | 'rate'
  | 'export'
  | 'deployment'
  | 'price'
  | 'organisation';
export type Names = Readonly<Record<Kind, readonly string[]>>;

export const budget = { conditions: [{ key: 'metadata.team', value: '*' }], group_by: [{ key: 'api_key' }] };
export const vault = {
  name: 'A secret',
  manager_type: 'hashicorp_vault',
  auth_config: { vault_auth_type: 'token', vault_addr: 'https://vault.example.com', vault_token: 'token' },
  secret_path: 'kv/data/a',
};
export const check = { id: 'default.contains', parameters: { words: ['x'] } };
export const template = { name: 'One', string: 'Hi', parameters: {}, virtual_key: 'any' };
export const hosted = { name: 'One', ai_provider_id: 'openai' };

/** One record of each kind, in one workspace where it can be in one: their ids and slugs. */
export async function furnished(control: TestControl, as: TestCaller, organisationId: string): Promise<Names> {
  const make = async (path: string, body: JsonObject): Promise<readonly string[]> => {
    const { id, slug } = await control.ok('POST', `/v1/${path}`, { as, body });
    return typeof slug === 'string' ? [String(id), slug] : [String(id)];
  };
  const workspace = await make('workspaces', { name: 'One' });
  const at = { workspace_id: workspace[0] ?? '', name: 'One' };
  const email = `${organisationId}@example.com`;
  const { invite_link: link } = await control.ok('POST', '/v1/users/invites', { as, body: { email, role: 'member' } });
  const token = new URL(String(link)).searchParams.get('token') ?? '';
  const { id: userId } = await control.ok('POST', '/v1/invites/accept', { body: { token, first_name: 'One' } });
  await control.ok('POST', `/v1/workspaces/${workspace[0]}/users`, {
    as,
    body: { users: [{ id: String(userId), role: 'member' }] },
  });
  const integration = await make('integrations', { ...hosted, key: 'sk-one' });
  await control.ok('PUT', `/v1/integrations/${integration[0]}/workspaces`, {
    as,
    body: { workspaces: [{ id: at.workspace_id, enabled: true }] },
  });
  const provider = await make('providers', { ...at, integration_id: integration[0] ?? '' });
  return {
    organisation: [organisationId],
    workspace,
    user: [String(userId)],
    invite: await make('users/invites', { email: `two-${email}`, role: 'member' }),
    integration,
    provider,
    config: await make('configs', { ...at, config: { provider: 'echo' } }),
    guardrail: await make('guardrails', { name: 'One', checks: [check], actions: {} }),
    collection: await make('collections', at),
    prompt: await make('prompts', { ...at, ...template, virtual_key: provider[1] ?? '' }),
    partial: await make('prompts/partials', { ...at, string: 'Hi' }),
    label: await make('labels', { ...at, name: 'one' }),
    key: await make('api-keys/workspace/service', { ...at, scopes: ['completions.write'] }),
    secret: await make('secret-references', vault),
    usage: await make('policies/usage-limits', { ...at, ...budget, type: 'cost', credit_limit: 10 }),
    rate: await make('policies/rate-limits', { ...at, ...budget, type: 'requests', unit: 'rpm', value: 1 }),
    export: await make('logs/exports', { ...at, filters: {}, requested_data: ['id'] }),
    deployment: await make('deployments', { name: 'One', type: 'production' }),
    price: await make('model-prices', { name: 'One', provider: 'openai', model: 'gpt-a', price: { request_token: 1 } }),
  };
}
