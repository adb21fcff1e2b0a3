import {
  asObject,
  type ControlHost,
  field,
  GatewayError,
  input,
  type Json,
  type JsonObject,
  nullable,
  type Operation,
  type Resource,
  type ResourceHooks,
  readOnly,
  required,
  type Static,
  schema,
  several,
} from 'portcullis/sdk';
import { authSettingsSchema, mergedSettings, noSettings } from './auth-settings.ts';
import { credentialOf, newCredential } from './credential.ts';
import type { DeploymentRecord } from './table.ts';

const types = ['production', 'non-production'] as const;

const once = schema.Object({
  id: field.id(),
  slug: field.slug(),
  object: field.oneOf(['deployment']),
  client_auth: schema.Optional(field.text({ description: 'The credential of the gateway, told this once.' })),
});

export function deployments(host: ControlHost): Resource {
  return {
    name: 'deployments',
    object: 'deployment',
    title: 'Gateway deployment',
    path: '/deployments',
    owner: 'organisation',
    permission: 'deployments',
    slug: { prefix: '', given: true },
    removal: 'archive',
    fields: {
      name: required(field.name()),
      slug: nullable(
        field.text({ min: 1, max: 50, pattern: '^[a-zA-Z0-9_-]+$', accepts: '1 to 50 letters, digits, _ and -' }),
      ),
      type: { ...field.oneOf(types), default: 'production' },
      is_default: field.flag(),
      deployment_config: nullable(field.object()),
      config: input(nullable(field.object({ description: 'Another name of deployment_config.' }))),
      auth_settings: authSettingsSchema,
      tags: nullable(field.strings()),
      status: field.oneOf(['active', 'archived']),
      rotate_auth: input(field.boolean()),
      override_existing: input(field.boolean()),
      masked_client_auth: readOnly(field.text()),
      stored_secret: readOnly(field.text({ max: 64 })),
      default_of: readOnly(field.text({ max: 36 })),
    },
    columns: ['name', 'type', 'is_default', 'stored_secret', 'default_of'],
    filters: {
      type: field.oneOf(types),
      is_default: field.flag(),
      status: several(field.text({ max: 64, pattern: '^(active|archived)(,(active|archived))?$' })),
      search: field.text({ min: 1 }),
    },
    shown: { config: nullable(field.object({ description: 'The same as deployment_config.' })) },
    hooks: hooks(host) as ResourceHooks,
    replies: {
      create: { schema: once, of: ({ record }, operation) => told(record as DeploymentRecord, operation) },
      update: { schema: once, of: ({ record }, operation) => told(record as DeploymentRecord, operation) },
    },
  };
}

function told({ id, slug }: DeploymentRecord, operation: Operation): JsonObject {
  const secret = credentialOf(operation);
  return { id, slug, object: 'deployment', ...(secret === undefined ? {} : { client_auth: secret }) };
}

function hooks(host: ControlHost): ResourceHooks<DeploymentRecord> {
  return {
    async create(operation, given) {
      const body = withConfig(given);
      checkSize(body);
      const settings = body.auth_settings as Static<typeof authSettingsSchema> | undefined;
      const isDefault = body.is_default === 1;
      if (isDefault) await endDefault(operation, undefined);
      return {
        ...body,
        ...defaultValues(isDefault, operation),
        status: 'active',
        auth_settings: await mergedSettings(host, operation, settings ?? {}, { before: noSettings, replace: true }),
        ...newCredential(host, operation),
      };
    },
    async update(operation, record, given) {
      const body = withConfig(given);
      checkSize(body);
      const { auth_settings, rotate_auth, override_existing, is_default, status } = body;
      if (override_existing === true) demandWhoMayUse(auth_settings);
      const archives = status === 'archived' && record.status !== 'archived';
      const isDefault = is_default === undefined ? record.is_default === 1 : is_default === 1;
      if (archives && isDefault) refuseDefault('archived');
      if (is_default === 1) await endDefault(operation, record.id);
      return {
        ...body,
        ...(is_default === undefined ? {} : defaultValues(isDefault, operation)),
        ...(auth_settings === undefined
          ? {}
          : {
              auth_settings: await mergedSettings(host, operation, auth_settings as Static<typeof authSettingsSchema>, {
                before: record.auth_settings,
                replace: override_existing === true,
              }),
            }),
        ...(rotate_auth === true ? newCredential(host, operation) : {}),
      };
    },
    remove(_, record) {
      if (record.is_default === 1) refuseDefault('removed');
    },
    show: (_, { deployment_config: config }) => ({
      config: config ?? null,
      stored_secret: undefined,
      default_of: undefined,
    }),
  };
}

/** `config` is what the deployment's configuration is called too. */
function withConfig({ config, ...body }: JsonObject): JsonObject {
  return config === undefined || body.deployment_config !== undefined ? body : { ...body, deployment_config: config };
}

const mostConfig = 65_536;

function checkSize({ deployment_config: config }: JsonObject): void {
  if (config === undefined || JSON.stringify(config).length <= mostConfig) return;
  throw new GatewayError('bad_request', `deployment_config must have at most ${mostConfig} characters as JSON.`, {
    param: 'deployment_config',
  });
}

function refuseDefault(what: string): never {
  throw new GatewayError('conflict', `The default deployment cannot be ${what}: make another one the default first.`, {
    param: 'id',
  });
}

function defaultValues(isDefault: boolean, { scope }: Operation) {
  return { is_default: isDefault ? 1 : 0, default_of: isDefault ? scope.organisationId : null };
}

/** An organisation has one default at most: making another one ends this. */
async function endDefault(operation: Operation, except: string | undefined): Promise<void> {
  const records = operation.records<DeploymentRecord>('deployments');
  for (const { id } of (await records.list(operation.scope, { where: { is_default: 1 } })).records) {
    if (id !== except) await records.update(operation.scope, id, defaultValues(false, operation));
  }
}

/** What stands in place of all that was set must say who may use the gateway: nobody opens it to all by leaving that out. */
function demandWhoMayUse(settings: unknown): void {
  const { allow_all_workspaces, workspaces_allowed } = asObject(settings as Json) ?? {};
  if (allow_all_workspaces !== undefined || workspaces_allowed !== undefined) return;
  throw new GatewayError(
    'bad_request',
    'override_existing needs auth_settings.allow_all_workspaces or auth_settings.workspaces_allowed beside it.',
    { param: 'override_existing' },
  );
}
