import {
  type ControlHost,
  field,
  fixed,
  GatewayError,
  input,
  type JsonObject,
  limitField,
  nullable,
  type Operation,
  type Resource,
  readOnly,
  required,
  schema,
} from 'portcullis/sdk';
import { enabledGrantsIn } from '../grants/grants.ts';
import { type IntegrationRecord, isSet, type ProviderRecord } from '../records.ts';
import { virtualKeyActions } from '../virtual-keys/actions.ts';
import { changedProvider, newProvider, statusOf } from './values.ts';

/** An integration as a workspace names it in requests, with limits of its own. */
export function providers(host: ControlHost): Resource {
  return {
    name: 'providers',
    object: 'provider',
    title: 'Providers',
    path: '/providers',
    owner: 'workspace',
    permission: 'providers',
    slug: { prefix: '', given: true, uniqueIn: 'workspace' },
    columns: ['name', 'integration_id'],
    paging: { standard: 50 },
    fields: {
      name: required(field.name()),
      integration_id: fixed(required(field.id())),
      note: nullable(field.text({ max: 2048 })),
      usage_limits: limitField.usage(),
      rate_limits: limitField.rate(),
      reset_usage: input(nullable(field.flag())),
      expires_at: nullable(field.time()),
      last_reset_at: readOnly(field.time()),
      tags: nullable(field.strings(255)),
    },
    shown: { reset_usage: schema.Optional(schema.Unsafe<null>({ type: 'null' })) },
    hooks: {
      create: async (operation, body) => {
        const integration = await usableIntegration(operation, String(body.integration_id));
        return { ...newProvider(operation, body), integration_id: integration.id };
      },
      update: (operation, record, body) => changedProvider(operation, record as ProviderRecord, body),
      show: (operation, record) => shownProvider(operation, record as ProviderRecord),
    },
    replies: {
      update: {
        schema: schema.Object({ id: schema.String(), slug: schema.String() }),
        of: ({ record }) => ({ id: record.id, slug: record.slug }),
      },
    },
    actions: virtualKeyActions(host),
  };
}

/**
 * The integration that a workspace names. @throws GatewayError `not_found` for one of another workspace,
 * `bad_request` for one that it has not been given
 */
async function usableIntegration(operation: Operation, idOrSlug: string): Promise<IntegrationRecord> {
  const { organisationId, workspaceId } = operation.scope;
  const found = await operation.records<IntegrationRecord>('integrations').find({ organisationId }, idOrSlug);
  const named = `the id or slug "${idOrSlug.slice(0, 100)}"`;
  const foreign = found !== undefined && found.workspace_id !== null && found.workspace_id !== workspaceId;
  if (found === undefined || found.status !== 'active' || isSet(found.hidden) || foreign || workspaceId === undefined)
    throw new GatewayError('not_found', `There is no integration with ${named}.`, { param: 'integration_id' });
  if (found.workspace_id === workspaceId) return found;
  const grants = await enabledGrantsIn(operation, workspaceId);
  if (grants.some(({ integration_id }) => integration_id === found.id)) return found;
  throw new GatewayError('bad_request', `The integration with ${named} is not shared with this workspace.`, {
    param: 'integration_id',
  });
}

function shownProvider(operation: Operation, record: ProviderRecord): JsonObject {
  return {
    note: record.note ?? null,
    status: statusOf(record, operation.now),
    usage_limits: record.usage_limits?.[0] ?? null,
    rate_limits: record.rate_limits ?? [],
    reset_usage: null,
    expires_at: operation.time(record.expires_at),
    last_reset_at: operation.time(record.last_reset_at),
    tags: record.tags ?? null,
  };
}
