import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { allScopes, type JsonObject } from 'portcullis/sdk';
import type { Endpoint } from '../../../core/resources/endpoints.ts';
import { startControl, type TestCaller, type TestControl } from '../../support/control.ts';
import { embeddedSettings } from '../../support/log-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-walks-'));
const closing: (() => unknown)[] = [];
let control: TestControl;
let workspaceId: string;
/** A record of each resource in the first organisation, by resource. */
const records = new Map<string, JsonObject>();
const secretWord = 'quokka';

after(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});
before(async () => {
  control = await startControl(
    { after: (close) => closing.push(close as () => unknown) },
    {
      settings: { serviceToken: 'service-token-of-the-walks-0123456789' },
      config: { logs: embeddedSettings(folder) },
    },
  );
  const made = await control.ok('POST', '/v1/workspaces', { body: { name: secretWord } });
  workspaceId = String(made.id);
  records.set('workspaces', made);
  records.set('organisations', { id: control.organisationId });
  for (const [resource, make] of Object.entries(fixtures)) records.set(resource, await make());
});

const at = () => ({ workspace_id: workspaceId, name: secretWord });

const policy = { conditions: [{ key: 'metadata._user', value: '*' }], group_by: [{ key: 'metadata._user' }] };

/** One record of each resource, made through its own route. A resource without one fails the walk. */
const fixtures: Readonly<Record<string, () => Promise<JsonObject>>> = {
  users: async () => invited('member@example.com'),
  invites: () =>
    control.ok('POST', '/v1/admin/users/invites', { body: { email: `${secretWord}@example.com`, role: 'member' } }),
  workspace_members: async () => {
    const user = await invited('second@example.com');
    await control.ok('POST', `/v1/workspaces/${workspaceId}/users`, {
      body: { users: [{ id: String(user.id), role: 'member' }] },
    });
    return { id: user.id as string };
  },
  configs: () => control.ok('POST', '/v1/configs', { body: { ...at(), config: { provider: 'echo' } } }),
  collections: () => control.ok('POST', '/v1/collections', { body: at() }),
  labels: () => control.ok('POST', '/v1/labels', { body: at() }),
  prompts: () =>
    control.ok('POST', '/v1/prompts', {
      body: { ...at(), string: `Write {{x}} of ${secretWord}`, parameters: {}, virtual_key: 'any' },
    }),
  prompt_partials: () => control.ok('POST', '/v1/prompts/partials', { body: { ...at(), string: secretWord } }),
  guardrails: () =>
    control.ok('POST', '/v1/guardrails', {
      body: { ...at(), checks: [{ id: 'default.contains', parameters: { words: [secretWord] } }], actions: {} },
    }),
  integrations: () =>
    control.ok('POST', '/v1/integrations', { body: { name: secretWord, ai_provider_id: 'openai', key: 'sk-of-a' } }),
  providers: async () =>
    control.ok('POST', '/v1/providers', {
      body: { ...at(), integration_id: String((await provisioned()).id) },
    }),
  api_keys: () =>
    control.ok('POST', '/v1/api-keys/workspace/service', { body: { ...at(), scopes: ['completions.write'] } }),
  secret_references: () =>
    control.ok('POST', '/v1/secret-references', {
      body: {
        name: secretWord,
        manager_type: 'hashicorp_vault',
        auth_config: { vault_auth_type: 'token', vault_addr: 'https://vault.example.com', vault_token: 'token-of-a' },
        secret_path: 'kv/data/a',
      },
    }),
  deployments: () => control.ok('POST', '/v1/deployments', { body: { name: secretWord, type: 'production' } }),
  usage_limit_policies: () =>
    control.ok('POST', '/v1/policies/usage-limits', { body: { ...at(), ...policy, type: 'cost', credit_limit: 10 } }),
  rate_limit_policies: () =>
    control.ok('POST', '/v1/policies/rate-limits', {
      body: { ...at(), ...policy, type: 'requests', unit: 'rpm', value: 10 },
    }),
  log_exports: () =>
    control.ok('POST', '/v1/logs/exports', {
      body: { workspace_id: workspaceId, filters: {}, requested_data: ['id'], description: secretWord },
    }),
  model_prices: () =>
    control.ok('POST', '/v1/model-prices', {
      body: {
        name: secretWord,
        provider: 'openai',
        model: 'gpt-a',
        price: { request_token: 1 },
      },
    }),
};

async function invited(email: string): Promise<JsonObject> {
  const { invite_link: link } = await control.ok('POST', '/v1/admin/users/invites', {
    body: { email, role: 'member' },
  });
  const token = new URL(String(link)).searchParams.get('token') ?? '';
  await control.ok('POST', '/v1/invites/accept', { body: { token, first_name: secretWord } });
  const { data } = await control.ok('GET', `/v1/admin/users?email=${encodeURIComponent(email)}`);
  return (data as JsonObject[])[0] as JsonObject;
}

async function provisioned(): Promise<JsonObject> {
  const made = await control.ok('POST', '/v1/integrations', {
    body: { name: 'For providers', ai_provider_id: 'openai', key: 'sk-of-a' },
  });
  await control.ok('PUT', `/v1/integrations/${made.id}/workspaces`, {
    body: { workspaces: [{ id: workspaceId, enabled: true }] },
  });
  return made;
}

function pathOf(path: string, id: string): string {
  return path
    .replace(':workspace', workspaceId)
    .replace(':id', id)
    .replace(/:[A-Za-z]+/g, 'unknown');
}

function scoped(): readonly Endpoint[] {
  return (control.gateway.control?.endpoints ?? []).filter(({ needs }) => Array.isArray(needs));
}

const sent = (method: string, as: TestCaller) => ({ as, ...(method === 'get' ? {} : { body: {} }) });

describe('every route of the control plane', () => {
  it('stands in a table of some size, and each resource has a record to try it with', () => {
    assert.ok(scoped().length > 60, `${scoped().length} routes`);
    const resources = new Set(scoped().flatMap(({ model }) => (model === undefined ? [] : [model.name])));
    assert.deepEqual(
      [...resources].filter((name) => !records.has(name)),
      [],
    );
  });

  it('refuses a caller who holds every permission but its own', async () => {
    const passed: string[] = [];
    for (const { method, paths, needs, model } of scoped()) {
      const others = [...allScopes].filter((scope) => !(needs as readonly string[]).includes(scope));
      const id = String(records.get(model?.name ?? '')?.id ?? randomUUID());
      for (const as of [{ scopes: others }, { scopes: others, workspaceId, keyType: 'workspace-service' as const }]) {
        const path = pathOf(paths[0] ?? '', id);
        const { status, json } = await control.call(method.toUpperCase(), path, sent(method, as));
        const code = (json.data as JsonObject | undefined)?.errorCode;
        if (status !== 403 || code !== 'AB03') passed.push(`${method} ${path}: ${status} ${code}`);
      }
    }
    assert.deepEqual(passed, []);
  });

  it('is closed to whoever brings no credential, or a wrong one', async () => {
    const passed: string[] = [];
    for (const { method, paths, needs } of control.gateway.control?.endpoints ?? []) {
      if (needs === 'public') continue;
      for (const key of ['', 'not-a-key', 'a.b.c']) {
        const path = pathOf(paths[0] ?? '', randomUUID());
        const { status } = await control.call(method.toUpperCase(), path, {
          key,
          ...(method === 'get' ? {} : { body: {} }),
        });
        if (status !== 401) passed.push(`${method} ${path} with "${key}": ${status}`);
      }
    }
    assert.deepEqual(passed, []);
  });

  it('lists pages of a bounded size', async () => {
    const lists = scoped().filter(({ method, path, reply }) => {
      const { data, records: entries, total } = (reply as { properties?: Record<string, unknown> })?.properties ?? {};
      // What is installed is listed whole.
      return (
        method === 'get' &&
        !path.includes(':') &&
        path !== '/v1/plugins' &&
        total !== undefined &&
        (data ?? entries) !== undefined
      );
    });
    const period = 'time_of_generation_min=2026-11-20T00:00:00Z&time_of_generation_max=2026-11-21T00:00:00Z';
    const taken: string[] = [];
    for (const { path } of lists) {
      for (const query of ['page_size=0', 'page_size=1000000', 'page_size=many', 'current_page=-1']) {
        const { status, json } = await control.call('GET', `${path}?workspace_id=${workspaceId}&${period}&${query}`);
        const param = (json.error as JsonObject | undefined)?.param;
        if (status !== 400 || param !== query.split('=')[0]) taken.push(`${path}?${query}: ${status} ${param}`);
      }
    }
    assert.ok(lists.length > 15, `${lists.length} lists`);
    assert.deepEqual(taken, []);
  });

  for (const place of ['organisation', 'workspace'] as const) {
    it(`gives nothing of the organisation to a key of another ${place}, and changes nothing`, async () => {
      const foreign = await foreignCaller(place);
      const leaks: string[] = [];
      for (const endpoint of scoped()) {
        const { method, path, model } = endpoint;
        const record = records.get(model?.name ?? '');
        const ids = path.includes(':id') ? [record?.id, record?.slug].filter((id) => typeof id === 'string') : [''];
        for (const id of ids.length === 0 ? [randomUUID()] : ids) {
          const { status, text } = await control.call(
            method.toUpperCase(),
            `${pathOf(path, String(id))}${path.includes(':id') ? '' : `?workspace_id=${workspaceId}`}`,
            sent(method, foreign),
          );
          const reached = path.includes(':id') || path.includes(':workspace') ? status < 300 : false;
          // What the caller has sent may come back.
          if (reached || mentions(text.replaceAll(String(id), '')))
            leaks.push(`${method} ${pathOf(path, String(id))}: ${status} ${text.slice(0, 200)}`);
          if (status >= 500) leaks.push(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
        }
      }
      assert.deepEqual(leaks, []);
      for (const [resource, path] of own) {
        const { status } = await control.call('GET', `${path}/${records.get(resource)?.id}`);
        assert.equal(status, 200, `${resource} is untouched`);
      }
    });
  }
});

/** Names and secrets of the first organisation must not stand in any reply to another. */
function mentions(text: string): boolean {
  return [secretWord, 'sk-of-a', 'token-of-a'].some((word) => text.includes(word));
}

const own = [
  ['configs', '/v1/configs'],
  ['guardrails', '/v1/guardrails'],
  ['integrations', '/v1/integrations'],
  ['api_keys', '/v1/api-keys'],
  ['workspaces', '/v1/workspaces'],
  ['secret_references', '/v1/secret-references'],
  ['deployments', '/v1/deployments'],
] as const;

async function foreignCaller(place: 'organisation' | 'workspace'): Promise<TestCaller> {
  if (place === 'workspace') {
    const other = await control.ok('POST', '/v1/workspaces', { body: { name: `Other ${randomUUID()}` } });
    // Another workspace of the same organisation: what belongs to the organisation may be seen from there, with permission.
    return {
      workspaceId: String(other.id),
      keyType: 'workspace-service',
      scopes: [...allScopes].filter(
        (scope) =>
          !/^organisation_|^workspaces\.|^audit_logs|^deployments|^secret_references|^workspace_users/.test(scope),
      ),
    };
  }
  const { store } = control.gateway.control as NonNullable<typeof control.gateway.control>;
  const organisationId = randomUUID();
  const row = (await store.db('organisations').first()) as Record<string, unknown>;
  await store
    .db('organisations')
    .insert({ ...row, id: organisationId, organisation_id: organisationId, slug: 'other', name: 'Other' });
  return { organisationId, scopes: [...allScopes] };
}
