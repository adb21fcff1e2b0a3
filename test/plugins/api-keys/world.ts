import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe } from 'node:test';
import { type JsonObject, scopesOfKeyType, scopesOfWorkspaceRole, type WorkspaceRole } from 'portcullis/sdk';
import { type ControlOptions, startControl, type TestCaller, type TestControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

/** A running control plane, and what tests of keys make in it. */
export interface World {
  readonly c: TestControl;
  readonly organisationId: string;
  workspace(settings?: JsonObject): Promise<string>;
  /** A person, and a member of the workspace when a role is given. */
  person(facts?: {
    readonly workspaceId?: string;
    readonly role?: WorkspaceRole;
    readonly organisationRole?: string;
  }): Promise<string>;
  /** The session of a person, with the rights of the role. */
  session(userId: string, workspaceId: string, role: WorkspaceRole): TestCaller;
  config(workspaceId: string): Promise<{ readonly id: string; readonly slug: string }>;
  /** Makes a key with the admin key: its id, and its secret. */
  key(path: string, body: JsonObject): Promise<{ readonly id: string; readonly key: string }>;
  read(id: string): Promise<JsonObject>;
  /** Status with which the key is taken. */
  statusOf(secret: string): Promise<number>;
  events(id: string): Promise<readonly JsonObject[]>;
}

export interface WorldOptions extends Omit<ControlOptions, 'store' | 'plugins'> {
  /** Starts what the control plane needs. */
  readonly prepare?: () => Promise<Omit<ControlOptions, 'store' | 'plugins'>>;
  readonly close?: () => Promise<void>;
}

const plugins = ['audit-log', 'tenancy', 'api-keys', 'configs'];

/** Runs the tests on each kind of store, in one control plane each. */
export function inEachWorld(work: (world: () => World) => void, options: WorldOptions = {}): void {
  onEachStore((_, __, fresh) => {
    describe('keys', () => {
      let world: World | undefined;
      const closers: (() => unknown)[] = [];
      before(async () => {
        const { prepare, close: closing, ...rest } = options;
        if (closing !== undefined) closers.push(closing);
        const t = { after: (close: () => unknown) => void closers.push(close) };
        world = worldOf(
          await startControl(t as Parameters<typeof startControl>[0], {
            ...rest,
            ...(await prepare?.()),
            plugins,
            store: await fresh(),
          }),
        );
      });
      after(async () => {
        for (const close of closers.toReversed()) await close();
      });
      work(() => {
        assert.ok(world !== undefined);
        return world;
      });
    });
  });
}

function worldOf(c: TestControl): World {
  const { organisationId, adminKey } = c;
  const { db } = c.gateway.control?.store ?? {};
  assert.ok(db !== undefined);
  const base = () => ({
    id: randomUUID(),
    organisation_id: organisationId,
    workspace_id: null,
    slug: null,
    status: 'active',
    created_at: c.now(),
    last_updated_at: c.now(),
    created_by: null,
    document: '{}',
    sealed: null,
  });
  const world: World = {
    c,
    organisationId,
    workspace: async (settings) => {
      const name = `W ${randomUUID()}`;
      const { id } = await c.ok('POST', '/v1/admin/workspaces', { key: adminKey, body: { name } });
      if (settings !== undefined) {
        await c.ok('PUT', `/v1/organisation`, { body: { overrides: { user_api_key_settings: true } } });
        await c.ok('PUT', `/v1/admin/workspaces/${id}`, { key: adminKey, body: { settings } });
      }
      return String(id);
    },
    person: async ({ workspaceId, role = 'member', organisationRole = 'member' } = {}) => {
      const row = base();
      await db('users').insert({
        ...row,
        email: `${row.id}@example.com`,
        role: organisationRole,
        first_name: 'Ada',
        last_name: 'Lovelace',
      });
      if (workspaceId !== undefined) {
        await c.ok('POST', `/v1/admin/workspaces/${workspaceId}/users`, {
          key: adminKey,
          body: { users: [{ id: row.id, role }] },
        });
      }
      return row.id;
    },
    session: (userId, workspaceId, role) => ({
      userId,
      workspaceId,
      workspaceRole: role,
      organisationRole: 'member',
      scopes: [...scopesOfWorkspaceRole(role, {})],
    }),
    config: async (workspaceId) => {
      const made = await c.ok('POST', '/v1/configs', {
        key: adminKey,
        body: { name: 'Main', workspace_id: workspaceId, config: { retry: { attempts: 1 } } },
      });
      return { id: String(made.id), slug: String(made.slug) };
    },
    key: async (path, body) => {
      const made = await c.ok('POST', `/v1/api-keys/${path}`, { key: adminKey, body });
      return { id: String(made.id), key: String(made.key) };
    },
    read: (id) => c.ok('GET', `/v1/api-keys/${id}`, { key: adminKey }),
    statusOf: async (key) => (await c.call('GET', '/v1/api-keys/self/details', { key })).status,
    events: async (id) => {
      const { records } = await c.ok('GET', '/v1/audit-logs?page_size=100', { key: adminKey });
      return (records as readonly JsonObject[]).filter((event) => JSON.stringify(event).includes(id));
    },
  };
  return world;
}

export const everyScope = {
  service: [...scopesOfKeyType('workspace-service')],
  user: [...scopesOfKeyType('workspace-user')],
  organisation: [...scopesOfKeyType('organisation-service')],
};
