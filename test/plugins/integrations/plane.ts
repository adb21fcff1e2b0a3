import { after, before } from 'node:test';
import type { DirectoryKind, DirectoryKinds, JsonObject, Knex } from 'portcullis/sdk';
import { startControl, type TestCaller, type TestControl } from '../../support/control.ts';
import { type Fresh, onEachStore } from '../../support/stores.ts';

/** What replies hold, as far as the tests look: each has some of it. */
export interface Shown {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly type: string;
  readonly object: string;
  readonly status: string;
  readonly description: string | null;
  readonly note: string | null;
  readonly workspace_id: string | null;
  readonly integration_id: string;
  readonly ai_provider_id: string;
  readonly provider: string;
  readonly workspace_name: string;
  readonly masked_key: string | null;
  readonly masked_api_key: string | null;
  readonly configurations: JsonObject | null;
  readonly model_config: JsonObject;
  readonly pricing_adjustments: JsonObject | null;
  readonly secret_mappings: readonly { readonly target_field: string }[];
  readonly tags: JsonObject | null;
  readonly usage_limits: { readonly credit_limit: number } | null;
  readonly rate_limits: readonly JsonObject[] | null;
  readonly global_workspace_access_settings: JsonObject;
  readonly workspace_count: number;
  readonly last_reset_at: number | null;
  readonly expires_at: number | null;
  readonly enabled: boolean;
  readonly base_model_slug: string | null;
  readonly organisation_id: string;
  readonly created_at: number;
  readonly last_updated_at: number;
  readonly success: boolean;
  readonly total: number;
  readonly data: readonly Shown[];
  readonly models: readonly Shown[];
  readonly workspaces: readonly Shown[];
  readonly error: { readonly code: string; readonly param: string | null };
}

export interface PlaneReply {
  readonly status: number;
  readonly body: Shown;
  readonly text: string;
}

/** A control plane with the workspaces `ws-a` and `ws-b`. */
export interface Plane {
  readonly control: TestControl;
  readonly organisationId: string;
  /** Ids of the two workspaces. */
  readonly a: string;
  readonly b: string;
  readonly db: Knex;
  /** With all permissions of the organisation, or as someone else. */
  call(method: string, path: string, body?: JsonObject, as?: TestCaller): Promise<PlaneReply>;
  /** What the data plane would get. */
  load<K extends DirectoryKind>(kind: K, ...path: readonly string[]): Promise<DirectoryKinds[K] | undefined>;
  /** Makes a secret reference of this slug, open to all workspaces unless `more` says otherwise; gives the slug. */
  reference(slug: string, more?: JsonObject): Promise<string>;
}

/** Someone with these permissions: in one workspace, or in the organisation. */
export function caller(scopes: readonly string[], workspaceId?: string, organisationId?: string): TestCaller {
  return {
    scopes,
    ...(workspaceId === undefined ? {} : { workspaceId, keyType: 'workspace-service' }),
    ...(organisationId === undefined ? {} : { organisationId }),
  };
}

/** Runs the tests on a plane over each kind of store; `plane` may be asked inside tests. */
export function onEachPlane(work: (plane: () => Plane) => void): void {
  onEachStore((_, __, fresh) => {
    let plane: Plane | undefined;
    const closing: (() => unknown)[] = [];
    before(async () => {
      plane = await startPlane(fresh, closing);
    });
    after(async () => {
      for (const close of closing) await close();
    });
    work(() => plane as Plane);
  });
}

async function startPlane(fresh: Fresh, closing: (() => unknown)[]): Promise<Plane> {
  const t = { after: (close: unknown) => void closing.push(close as () => unknown) };
  const control = await startControl(t, {
    store: await fresh(),
    plugins: ['audit-log', 'tenancy', 'integrations', 'model-pricing', 'configs', 'secret-references'],
  });
  const plane = control.gateway.control;
  if (plane === undefined) throw new Error('there is a control plane');
  const call: Plane['call'] = async (method, path, body, as) => {
    const reply = await control.call(method, `/v1${path}`, {
      ...(body === undefined ? {} : { body }),
      ...(as === undefined ? {} : { as }),
    });
    return { status: reply.status, body: reply.json as unknown as Shown, text: reply.text };
  };
  const workspace = async (slug: string) => {
    await control.ok('POST', '/v1/workspaces', { body: { name: slug, slug } });
    return String((await control.ok('GET', `/v1/workspaces/${slug}`)).id);
  };
  return {
    control,
    organisationId: control.organisationId,
    a: await workspace('ws-a'),
    b: await workspace('ws-b'),
    db: plane.store.db,
    call,
    load: async (kind, ...path) => plane.directory.get(kind, ...path),
    reference: async (slug, more = {}) => {
      const auth_config = {
        vault_auth_type: 'token',
        vault_addr: 'https://8.8.8.8',
        vault_token: 'token-of-the-vault',
      };
      const body = {
        name: slug,
        slug,
        manager_type: 'hashicorp_vault',
        auth_config,
        secret_path: 'kv/data/x',
        ...more,
      };
      return String((await control.ok('POST', '/v1/secret-references', { body })).slug);
    },
  };
}
