import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { allScopes, type JsonObject } from 'portcullis/sdk';
import { startControl, type TestCaller, type TestControl } from '../../support/control.ts';
import { embeddedSettings } from '../../support/log-settings.ts';
import { budget, check, furnished, hosted, type Kind, type Names, template, vault } from './one-of-each.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-foreign-'));
const closing: (() => unknown)[] = [];
let control: TestControl;
/** Ids and slugs of one record of each kind, of the organisation that asks and of another one. */
let own: Names;
let foreign: Names;
let asking: TestCaller;

after(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});
before(async () => {
  control = await startControl(
    { after: (close) => closing.push(close as () => unknown) },
    { config: { logs: embeddedSettings(folder) } },
  );
  foreign = await furnished(control, {}, control.organisationId);
  const { store } = control.gateway.control as NonNullable<typeof control.gateway.control>;
  const organisationId = randomUUID();
  const row = (await store.db('organisations').first()) as Record<string, unknown>;
  await store
    .db('organisations')
    .insert({ ...row, id: organisationId, organisation_id: organisationId, slug: 'other', name: 'Other' });
  asking = { organisationId, scopes: [...allScopes] };
  own = await furnished(control, asking, organisationId);
});

interface Asked {
  readonly status: number;
  readonly text: string;
}

const unusual = /[0-9a-f]{8}-[0-9a-f-]{27}|-[0-9a-f]{6}\b|\d{10,}|"\d{4}-\d\d-\d\dT[^"]*"/g;

/** The answer, without what differs between any two calls. */
async function ask(method: string, path: string, name: string, body?: JsonObject): Promise<Asked> {
  const { status, text } = await control.call(method, path, { as: asking, ...(body === undefined ? {} : { body }) });
  return { status, text: text.replaceAll(name, '<name>').replaceAll(unusual, '<new>') };
}

/** Where a call with a name of another organisation is answered otherwise than one with a name that nobody has. */
async function differences(calls: readonly Call[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { kind, method, path, body } of calls) {
    for (const name of foreign[kind]) {
      const nobody = /^[0-9a-f]{8}-/.test(name) ? randomUUID() : `${name.slice(0, -2)}zz`;
      const there = await ask(method, path(name), name, body?.(name));
      const nowhere = await ask(method, path(nobody), nobody, body?.(nobody));
      if (there.status === nowhere.status && there.text === nowhere.text && there.status < 500) continue;
      found.push(`${method} ${path(name)} ${JSON.stringify(body?.(name) ?? {})}
  there: ${there.status} ${there.text}
  nowhere: ${nowhere.status} ${nowhere.text}`);
    }
  }
  return found;
}

interface Call {
  readonly kind: Kind;
  readonly method: string;
  readonly path: (name: string) => string;
  readonly body?: (name: string) => JsonObject;
}

/** The first segments of a path, and the kind whose name its parameter is. */
const places: readonly (readonly [start: string, kind: Kind])[] = [
  ['/users/invites/', 'invite'],
  ['/users/', 'user'],
  ['/workspaces/', 'workspace'],
  ['/integrations/', 'integration'],
  ['/providers/', 'provider'],
  ['/virtual-keys/', 'provider'],
  ['/configs/', 'config'],
  ['/guardrails/', 'guardrail'],
  ['/collections/', 'collection'],
  ['/prompts/partials/', 'partial'],
  ['/prompts/', 'prompt'],
  ['/labels/', 'label'],
  ['/api-keys/', 'key'],
  ['/secret-references/', 'secret'],
  ['/policies/usage-limits/', 'usage'],
  ['/policies/rate-limits/', 'rate'],
  ['/logs/exports/', 'export'],
  ['/deployments/', 'deployment'],
  ['/model-prices/', 'price'],
];

const one = (kind: Kind) => own[kind][0] ?? '';
const write = (kind: Kind, method: string, path: string, body: (name: string) => JsonObject): Call => ({
  kind,
  method,
  path: () => `/v1/${path}`,
  body,
});

/** Bodies that name records: nothing but the name is at fault. */
function bodies(): readonly Call[] {
  const at = { workspace_id: one('workspace'), name: 'Two' };
  const key = { ...at, scopes: ['completions.write'] };
  const post = (kind: Kind, path: string, body: (name: string) => JsonObject) => write(kind, 'POST', path, body);
  const put = (kind: Kind, path: string, body: (name: string) => JsonObject) => write(kind, 'PUT', path, body);
  const mapped = (name: string) => ({ secret_mappings: [{ target_field: 'key', secret_reference_id: name }] });
  const limited = { ...at, type: 'cost', credit_limit: 10, group_by: [{ key: 'api_key' }] };
  return [
    post('workspace', 'configs', (name) => ({ name: 'Two', config: { provider: 'echo' }, workspace_id: name })),
    post('guardrail', 'configs', (name) => ({ ...at, config: { provider: 'echo', input_guardrails: [name] } })),
    post('provider', 'configs', (name) => ({ ...at, config: { virtual_key: name } })),
    put('guardrail', `configs/${one('config')}`, (name) => ({
      config: { provider: 'echo', input_guardrails: [name] },
    })),
    post('workspace', 'guardrails', (name) => ({ name: 'Two', checks: [check], actions: {}, workspace_id: name })),
    post('organisation', 'guardrails', (name) => ({ ...at, checks: [check], actions: {}, organisation_id: name })),
    post('collection', 'prompts', (name) => ({ ...at, ...template, collection_id: name })),
    post('provider', 'prompts', (name) => ({ ...at, ...template, virtual_key: name })),
    post('partial', 'prompts', (name) => ({ ...at, ...template, string: `Hi {{>${name}}}` })),
    put('collection', `prompts/${one('prompt')}`, (name) => ({ collection_id: name })),
    post('workspace', `prompts/${one('prompt')}/share`, (name) => ({ workspaces: [name] })),
    post('workspace', `prompts/${one('prompt')}/unshare`, (name) => ({ workspaces: [name] })),
    post('workspace', `prompts/${one('prompt')}/fork`, (name) => ({ workspace_id: name })),
    post('collection', `prompts/${one('prompt')}/fork`, (name) => ({ ...at, collection_id: name })),
    post('collection', 'prompts/partials', (name) => ({ ...at, string: 'Hi', collection_id: name })),
    post('partial', 'prompts/partials', (name) => ({ ...at, string: `Hi {{>${name}}}` })),
    post('collection', 'collections', (name) => ({ ...at, parent_collection_id: name })),
    post('workspace', 'integrations', (name) => ({ ...hosted, key: 'sk-two', workspace_id: name })),
    post('secret', 'integrations', (name) => ({ ...at, ...hosted, ...mapped(name) })),
    put('secret', `integrations/${one('integration')}`, mapped),
    put('workspace', `integrations/${one('integration')}/workspaces`, (name) => ({
      workspaces: [{ id: name, enabled: true }],
    })),
    post('integration', 'providers', (name) => ({ ...at, integration_id: name })),
    put('integration', `providers/${one('provider')}`, (name) => ({ integration_id: name })),
    post('secret', 'virtual-keys', (name) => ({ ...at, provider: 'openai', ...mapped(name) })),
    post('workspace', 'api-keys/workspace/service', (name) => ({ ...key, workspace_id: name })),
    post('config', 'api-keys/workspace/service', (name) => ({ ...key, defaults: { config_id: name } })),
    post('guardrail', 'api-keys/workspace/service', (name) => ({ ...key, defaults: { input_guardrails: [name] } })),
    post('user', 'api-keys/workspace/user', (name) => ({ ...key, user_id: name })),
    put('config', `api-keys/${one('key')}`, (name) => ({ defaults: { config_id: name } })),
    post('user', 'workspaces', (name) => ({ name: 'Two', users: [name] })),
    post('guardrail', 'workspaces', (name) => ({ name: 'Two', defaults: { input_guardrails: [name] } })),
    put('config', `workspaces/${one('workspace')}`, (name) => ({ defaults: { user_api_key_config: name } })),
    put('guardrail', `workspaces/${one('workspace')}`, (name) => ({ defaults: { output_guardrails: [{ id: name }] } })),
    put('guardrail', 'organisation/defaults', (name) => ({ input_guardrails: [{ id: name }] })),
    post('user', `workspaces/${one('workspace')}/users`, (name) => ({ users: [{ id: name, role: 'member' }] })),
    post('workspace', 'users/invites', (name) => ({
      email: `x@example.com`,
      role: 'member',
      workspaces: [{ id: name, role: 'member' }],
    })),
    post('workspace', 'secret-references', (name) => ({ ...vault, allowed_workspaces: [name] })),
    put('workspace', `secret-references/${one('secret')}`, (name) => ({ allowed_workspaces: [name] })),
    post('workspace', 'deployments', (name) => ({ name: 'Two', auth_settings: { workspaces_allowed: [name] } })),
    post('workspace', 'deployments', (name) => ({
      name: 'Two',
      auth_settings: { jwt_sub_workspace_mapping: { a: name } },
    })),
    ...(['key', 'provider', 'config', 'prompt', 'workspace'] as const).map((kind) =>
      post(kind, 'policies/usage-limits', (name) => ({
        ...limited,
        conditions: [{ key: conditionOf[kind], value: name }],
      })),
    ),
    post('workspace', 'policies/rate-limits', (name) => ({
      ...budget,
      type: 'requests',
      unit: 'rpm',
      value: 1,
      workspace_id: name,
    })),
    put('organisation', `policies/rate-limits/${one('rate')}`, (name) => ({ organisation_id: name })),
    post('workspace', 'logs/exports', (name) => ({ filters: {}, requested_data: ['id'], workspace_id: name })),
    post('workspace', 'logs/exports', (name) => ({ ...at, filters: { workspace_slug: name }, requested_data: ['id'] })),
    post('key', 'logs/exports', (name) => ({ ...at, filters: { api_key_ids: name }, requested_data: ['id'] })),
    post('key', 'feedback', (name) => ({ ...at, trace_id: name, value: 1 })),
  ];
}

const conditionOf = {
  key: 'api_key',
  provider: 'virtual_key',
  config: 'config',
  prompt: 'prompt',
  workspace: 'workspace_id',
} as const;

/** Queries that name records. */
function queries(): readonly Call[] {
  const period = 'time_of_generation_min=2026-11-20T00:00:00Z&time_of_generation_max=2026-11-21T00:00:00Z';
  const get = (kind: Kind, path: string): Call => ({ kind, method: 'GET', path: (name) => `/v1/${path}${name}` });
  const within = (path: string) => `${path}?workspace_id=${one('workspace')}&`;
  const lists = ['configs', 'providers', 'virtual-keys', 'prompts', 'prompts/partials', 'collections', 'labels'];
  const more = [
    'guardrails',
    'integrations',
    'api-keys',
    'logs',
    'logs/exports',
    'policies/usage-limits',
    'audit-logs',
  ];
  return [
    ...[...lists, ...more].map((path) => get('workspace', `${path}?workspace_id=`)),
    get('collection', `${within('prompts')}collection_id=`),
    get('collection', `${within('prompts/partials')}collection_id=`),
    get('guardrail', 'guardrails?ids='),
    get('key', 'api-keys?ids='),
    get('organisation', 'labels?organisation_id='),
    get('organisation', 'guardrails?organisation_id='),
    get('organisation', 'audit-logs?organisation_id='),
    get('user', 'audit-logs?user_id='),
    get('workspace', `analytics/graphs/cost?${period}&workspace_slug=`),
    get('key', `analytics/graphs/cost?${period}&api_key_ids=`),
    get('workspace', `logs/groups/model?${period}&workspace_slug=`),
    get('key', 'logs?trace_id='),
  ];
}

describe('a name of another organisation is as one that nobody has', () => {
  it('in every path', async () => {
    const endpoints = (control.gateway.control?.endpoints ?? []).filter(({ needs }) => Array.isArray(needs));
    const calls = endpoints.flatMap(({ method, path }): Call[] => {
      const start = places.find(([prefix]) => path.startsWith(`/v1${prefix}:`));
      if (start === undefined) return [];
      const at = (name: string) => path.replace(/:[A-Za-z]+/, name).replaceAll(/:[A-Za-z]+/g, 'unknown');
      return [
        { kind: start[1], method: method.toUpperCase(), path: at, ...(method === 'get' ? {} : { body: () => ({}) }) },
      ];
    });
    assert.ok(calls.length > 60, `${calls.length} routes`);
    assert.deepEqual(await differences(calls), []);
  });

  it('as a member of a workspace', async () => {
    const at = `/v1/workspaces/${one('workspace')}/users`;
    const member = (method: string): Call => ({ kind: 'user', method, path: (name) => `${at}/${name}` });
    const calls = [member('GET'), { ...member('PUT'), body: () => ({ role: 'admin' }) }, member('DELETE')];
    assert.deepEqual(await differences(calls), []);
  });

  it('in bodies', async () => assert.deepEqual(await differences(bodies()), []));

  it('and not for the sake of anything else in those bodies: own names are taken', async () => {
    const refused: string[] = [];
    for (const { kind, method, path, body } of bodies()) {
      const name = own[kind].at(-1) ?? '';
      const { status, text } = await ask(method, path(name), name, body?.(name));
      // Sharing with oneself, and a member who is one already, are understood and refused for that.
      if (status !== 200 && !/ already|is shared with/.test(text))
        refused.push(`${method} ${path(name)} ${kind}: ${text}`);
    }
    assert.deepEqual(refused, []);
  });

  it('in queries', async () => assert.deepEqual(await differences(queries()), []));
});
