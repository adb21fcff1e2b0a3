import { isDeepStrictEqual } from 'node:util';
import {
  type ControlHost,
  detail,
  field,
  input,
  type JsonObject,
  type Operation,
  type Resource,
  type ResourceHooks,
  readOnly,
  required,
  schema,
  warningsField,
  warningsIn,
} from 'portcullis/sdk';
import { defaultValues, endOtherDefaults, wantsDefault } from './defaults.ts';
import { readConfig } from './read-config.ts';
import { shownConfig } from './shown.ts';
import type { ConfigRecord } from './table.ts';
import { appendVersion, versions } from './versions.ts';
import { warningsOf } from './warnings.ts';

const version = schema.Object({ version_id: field.id() });

export function configs(host: Pick<ControlHost, 'checkConfig' | 'providers'>): Resource {
  return {
    name: 'configs',
    object: 'config',
    title: 'Config',
    path: '/configs',
    owner: 'workspace',
    permission: 'configs',
    slug: { prefix: 'pc' },
    fields: {
      name: required(field.name()),
      config: detail(
        required(
          schema.Unsafe<JsonObject | string>({
            type: ['object', 'string'],
            description: 'A routing config, or its JSON text. Shown as text.',
          }),
        ),
      ),
      is_default: field.flag(),
      isDefault: input(field.flag()),
      status: field.oneOf(['active', 'archived']),
      version_id: detail(readOnly(field.id())),
      owner_id: readOnly(field.id()),
      updated_by: readOnly(field.id()),
      default_of: detail(readOnly(field.id())),
    },
    columns: ['name', 'is_default', 'version_id', 'default_of'],
    filters: { status: field.oneOf(['active', 'archived']), is_default: field.flag(), search: field.text({ min: 1 }) },
    shown: { format: field.oneOf(['json']), type: field.oneOf(['ORG_CONFIG']) },
    hooks: hooks(host) as ResourceHooks,
    replies: {
      create: {
        schema: schema.Object({
          success: schema.Boolean(),
          id: field.id(),
          slug: field.slug(),
          version_id: field.id(),
          object: field.oneOf(['config']),
          data: schema.Object({ id: field.id(), slug: field.slug(), version_id: field.id() }),
          warnings: warningsField,
        }),
        of: async ({ record }, operation) => {
          const { id, slug, version_id } = record as ConfigRecord;
          const names = { id, slug, version_id };
          const warnings = await warningsOf(host, operation, record as ConfigRecord);
          return { success: true, ...names, object: 'config', data: names, ...warningsIn(warnings) };
        },
      },
      update: {
        schema: schema.Object({
          success: schema.Boolean(),
          version_id: field.id(),
          data: version,
          warnings: warningsField,
        }),
        of: async ({ record }, operation) => {
          const { version_id } = record as ConfigRecord;
          const warnings = await warningsOf(host, operation, record as ConfigRecord);
          return { success: true, version_id, data: { version_id }, ...warningsIn(warnings) };
        },
      },
    },
    actions: [versions],
  };
}

function hooks(host: Pick<ControlHost, 'checkConfig'>): ResourceHooks<ConfigRecord> {
  return {
    async create(operation, body) {
      const isDefault = wantsDefault(body) ?? 0;
      const config = readConfig(body.config ?? null, host);
      if (isDefault === 1) await endOtherDefaults(operation, undefined);
      return {
        ...own(body),
        ...defaultValues(isDefault, operation.scope.workspaceId),
        config,
        version_id: operation.newId(),
        owner_id: operation.actorId,
        updated_by: operation.actorId,
      };
    },
    created: appendVersion,
    async update(operation, record, body) {
      // An archived config serves nobody any more: it is no default, and whatever blocks its removal blocks this.
      const archives = body.status === 'archived' && record.status !== 'archived';
      const isDefault = archives ? 0 : wantsDefault(body);
      const config = body.config === undefined ? record.config : readConfig(body.config, host);
      if (isDefault === 1) await endOtherDefaults(workspaceOf(operation, record), record.id);
      if (archives) await operation.emit('configs.removing', record);
      return {
        ...own(body),
        ...(isDefault === undefined ? {} : defaultValues(isDefault, record.workspace_id)),
        config,
        version_id: isDeepStrictEqual(config, record.config) ? record.version_id : operation.newId(),
        updated_by: operation.actorId,
      };
    },
    async updated(operation, before, after) {
      if (after.version_id !== before.version_id) await appendVersion(operation, after);
    },
    show: (_, record, { detail }) => ({
      default_of: undefined,
      ...(detail
        ? shownConfig(JSON.stringify(record.config), record.version_id)
        : { config: undefined, version_id: undefined }),
    }),
  };
}

/** Fields that are stored as they come. */
function own({ name, status }: JsonObject) {
  return { ...(name === undefined ? {} : { name }), ...(status === undefined ? {} : { status }) };
}

function workspaceOf(operation: Operation, { organisation_id, workspace_id }: ConfigRecord): Operation {
  return operation.at({
    organisationId: organisation_id,
    ...(workspace_id === null ? {} : { workspaceId: workspace_id }),
  });
}
