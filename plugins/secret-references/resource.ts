import {
  asObject,
  type ControlHost,
  detail,
  field,
  fixed,
  GatewayError,
  input,
  type JsonObject,
  nullable,
  type Operation,
  type Resource,
  type ResourceHooks,
  readOnly,
  required,
  schema,
} from 'portcullis/sdk';
import { type ManagerName, managerNames } from './backends/index.ts';
import { probe } from './probe.ts';
import { type Auth, readAuth, shownAuth } from './read-auth.ts';
import type { ReferenceRecord } from './table.ts';
import { idsByTags } from './tags.ts';
import { readOpenness } from './workspaces.ts';

export function secretReferences(host: ControlHost): Resource {
  return {
    name: 'secret_references',
    object: 'secret-reference',
    title: 'Secret reference',
    path: '/secret-references',
    owner: 'organisation',
    permission: 'secret_references',
    slug: { prefix: '', given: true },
    fields: {
      name: required(field.name()),
      description: nullable(field.text({ max: 1024 })),
      manager_type: required(fixed(field.oneOf(managerNames))),
      auth_config: required(input(field.object())),
      public_auth: detail(readOnly(field.object())),
      secret_auth: readOnly(schema.Unsafe<JsonObject>({ type: 'object', 'x-secret': true })),
      secret_path: detail(required(field.text({ min: 1, max: 1024 }))),
      secret_key: nullable(field.text({ min: 1 })),
      allow_all_workspaces: field.boolean(),
      allowed_workspaces: detail(field.list(field.id(), { maxItems: 10_000 })),
      tags: nullable(field.strings()),
    },
    columns: ['name', 'manager_type'],
    filters: {
      manager_type: field.oneOf(managerNames),
      tags: field.text({ max: 4096 }),
      search: field.text({ min: 1 }),
    },
    paging: { standard: 20, most: 100 },
    shown: { auth_config: field.object(), created_by: nullable(field.id()) },
    hooks: hooks(host) as ResourceHooks,
    actions: [probe(host)],
  };
}

function hooks(host: ControlHost): ResourceHooks<ReferenceRecord> {
  return {
    async create(operation, body) {
      const auth = readAuth(body.manager_type as ManagerName, asObject(body.auth_config) ?? {});
      await checkUrl(host, auth);
      const open = (await readOpenness(operation, body)) ?? { allow_all_workspaces: true, allowed_workspaces: [] };
      return { ...own(body), ...open, public_auth: auth.shown, secret_auth: auth.secret };
    },
    async update(operation, record, body) {
      if (Object.keys(body).length === 0) {
        throw new GatewayError('bad_request', `The body must hold at least one of ${changeable.join(', ')}.`, {
          param: 'body',
        });
      }
      const open = await readOpenness(operation, body);
      const given = asObject(body.auth_config);
      if (given === undefined) return { ...own(body), ...open };
      const before = { ...record.public_auth, ...(await secretsOf(operation, record)) };
      const auth = readAuth(record.manager_type as ManagerName, given, before);
      await checkUrl(host, auth);
      return { ...own(body), ...open, public_auth: auth.shown, secret_auth: auth.secret };
    },
    async list(operation) {
      const ids = await idsByTags(operation);
      return ids === undefined ? {} : { id: ids };
    },
    async show(operation, record, { detail }) {
      const hidden = {
        public_auth: undefined,
        status: record.status.toUpperCase(),
        created_by: record.created_by,
      };
      if (!detail) return hidden;
      return { ...hidden, auth_config: shownAuth(record.public_auth, await secretsOf(operation, record)) };
    },
  };
}

const described = ['name', 'description', 'secret_path', 'secret_key', 'tags'] as const;
const stored = [...described, 'slug', 'manager_type'] as const;
const changeable = [...described, 'auth_config', 'allow_all_workspaces', 'allowed_workspaces'] as const;

/** Fields that are stored as they come. */
function own(body: JsonObject): JsonObject {
  return Object.fromEntries(
    stored.flatMap((name) => {
      const value = body[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

async function secretsOf(operation: Operation, record: ReferenceRecord): Promise<JsonObject> {
  const { secret_auth: secret } = await operation.records<ReferenceRecord>('secret_references').secrets(record);
  return asObject(secret) ?? {};
}

async function checkUrl(host: ControlHost, { url }: Auth): Promise<void> {
  if (url !== undefined) await host.checkUrl(url.value, url.param);
}
