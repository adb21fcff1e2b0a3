import { type Action, field, type JsonObject, type Operation, pageFields, pageOf, schema } from 'portcullis/sdk';
import { enabledGrantsIn } from '../grants/grants.ts';
import { eitherFamily, holds } from '../permission.ts';
import type { IntegrationRecord } from '../records.ts';
import { refuse } from '../refuse.ts';
import { integrationItem } from './shape.ts';

type Type = 'organisation' | 'workspace';

/** A workspace lists its own integrations and those of the organisation that it may use: no plain filter can say that. */
export const listIntegrations: Action = {
  method: 'get',
  path: '/integrations',
  summary: 'List Integrations',
  needs: eitherFamily('list'),
  in: 'either',
  query: schema.Object({
    type: schema.Optional(field.oneOf(['workspace', 'organisation', 'all'])),
    status: schema.Optional(field.oneOf(['active', 'archived'])),
    ai_provider_id: schema.Optional(schema.String({ maxLength: 255 })),
    search: schema.Optional(schema.String({ maxLength: 255 })),
    ...pageFields(),
  }),
  reply: schema.Object({
    object: schema.Literal('list'),
    total: schema.Integer(),
    data: schema.Array(integrationItem),
  }),
  run: async (operation) => {
    const { query } = operation;
    const where = {
      hidden: 0,
      status: query.status ?? 'active',
      type: typesOf(operation),
      ...(query.ai_provider_id === undefined ? {} : { ai_provider_id: query.ai_provider_id }),
      ...(await reachable(operation)),
    };
    const scope = { organisationId: operation.scope.organisationId };
    const { total, records } = await operation.records<IntegrationRecord>('integrations').list(scope, {
      where,
      ...pageOf(operation),
      ...(query.search === undefined ? {} : { search: query.search }),
    });
    return { object: 'list', total, data: records.map((record) => shown(operation, record)) };
  },
};

/** The types that were asked for and may be seen. */
function typesOf(operation: Operation): Type[] {
  const { type = 'all' } = operation.query;
  if (type !== 'all' && type !== 'workspace' && type !== 'organisation')
    return refuse('type', 'must be workspace, organisation or all');
  const asked: Type[] = type === 'all' ? ['organisation', 'workspace'] : [type];
  return asked.filter((one) => holds(operation.access, `${one}_integrations.list`, operation.scope.workspaceId));
}

async function reachable(operation: Operation): Promise<{ id?: string[] }> {
  const { organisationId, workspaceId } = operation.scope;
  if (workspaceId === undefined) return {};
  const own = await operation.records('integrations').list({ organisationId, workspaceId });
  const grants = await enabledGrantsIn(operation, workspaceId);
  return { id: [...own.records.map(({ id }) => id), ...grants.map(({ integration_id }) => integration_id)] };
}

function shown(operation: Operation, record: IntegrationRecord): JsonObject {
  return {
    id: record.id,
    slug: record.slug,
    organisation_id: record.organisation_id,
    workspace_id: record.workspace_id,
    type: record.workspace_id === null ? 'organisation' : 'workspace',
    ai_provider_id: record.ai_provider_id,
    name: record.name,
    description: record.description ?? null,
    status: record.status,
    created_at: operation.time(record.created_at),
    last_updated_at: operation.time(record.last_updated_at),
    object: 'integration',
  };
}
