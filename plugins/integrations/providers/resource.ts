import {
  type ControlHost,
  field,
  fixed,
  GatewayError,
  input,
  type JsonObject,
  lastReset,
  limitField,
  nullable,
  type Operation,
  type Resource,
  readOnly,
  reference,
  required,
  schema,
} from 'portcullis/sdk';
import { enabledGrantsIn } from '../grants/grants.ts';
import { type IntegrationRecord, isSet, type ProviderRecord } from '../records.ts';
import { usageOf } from '../standings.ts';
import { virtualKeyActions } from '../virtual-keys/actions.ts';
import { providerShape } from './shape.ts';
import { budgetOf, changedProvider, newProvider, statusOf } from './values.ts';

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
      integration_id: reference('integrations', fixed(required(field.id()))),
      note: nullable(field.text({ max: 2048 })),
      usage_limits: limitField.usage(),
      rate_limits: limitField.rate(),
      reset_usage: input(nullable(field.flag())),
      expires_at: nullable(field.time()),
      last_reset_at: readOnly(field.time()),
      tags: nullable(field.strings(255)),
    },
    hooks: {
      create: async (operation, body) => {
        const integration = await usableIntegration(operation, String(body.integration_id));
        return { ...newProvider(operation, body), integration_id: integration.id };
      },
      update: (operation, record, body) => changedProvider(operation, record as ProviderRecord, body),
      show: (operation, record) => shownProvider(operation, record as ProviderRecord),
    },
    replies: {
      get: {
        schema: providerShape,
        of: async ({ record, shown }, operation) =>
          (await withUsage(host, operation, [record as ProviderRecord], [shown]))[0] ?? shown,
      },
      list: {
        schema: schema.Object({
          object: schema.Literal('list'),
          total: field.integer(0),
          data: schema.Array(providerShape),
        }),
        of: async ({ total, items }, operation) => ({
          object: 'list',
          total,
          data: await withUsage(host, operation, await recordsOf(operation, items), items),
        }),
      },
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
    usage_limits: budgetOf(record, operation.now),
    rate_limits: record.rate_limits ?? [],
    reset_usage: null,
    expires_at: operation.time(record.expires_at),
    last_reset_at: operation.time(lastReset(undefined, record, operation.now)),
    tags: record.tags ?? null,
  };
}

/** The records of a page that have a budget: of the others nothing has to be read. */
async function recordsOf(operation: Operation, items: readonly JsonObject[]): Promise<readonly ProviderRecord[]> {
  const ids = items.filter(({ usage_limits: limits }) => limits !== null).map(({ id }) => String(id));
  if (ids.length === 0) return [];
  const { organisationId } = operation.scope;
  return (await operation.records<ProviderRecord>('providers').list({ organisationId }, { where: { id: ids } }))
    .records;
}

/** The forms with what has been used: the status, and the last reset. */
async function withUsage(
  host: Pick<ControlHost, 'counters' | 'log'>,
  operation: Operation,
  records: readonly ProviderRecord[],
  items: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const usage = await usageOf(host, operation, 'provider', records, ({ id }) => id);
  return items.map((item) => {
    const found = usage.get(String(item.id));
    if (found === undefined) return item;
    const status = found.exhausted && item.status === 'active' ? 'exhausted' : (item.status ?? null);
    return { ...item, status, last_reset_at: operation.time(found.lastResetAt) };
  });
}
