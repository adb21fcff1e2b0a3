import {
  type Action,
  asString,
  GatewayError,
  type JsonObject,
  type Operation,
  pageFields,
  pageOf,
  schema,
} from 'portcullis/sdk';
import type { LabelRecord } from './table.ts';
import { makeUniversal } from './universal.ts';

const textOrNull = () => schema.Unsafe<string | null>({ type: ['string', 'null'] });
const moment = () => schema.Unsafe<string | number>({ type: ['integer', 'string'] });

const shownLabel = schema.Object(
  {
    id: schema.String(),
    name: schema.String(),
    description: textOrNull(),
    color_code: textOrNull(),
    organisation_id: schema.String(),
    workspace_id: textOrNull(),
    is_universal: schema.Boolean(),
    status: schema.String(),
    created_at: moment(),
    last_updated_at: moment(),
    object: schema.Literal('label'),
  },
  { additionalProperties: false },
);

/** A workspace lists its own labels and those of the organisation: no plain filter can say that. */
export const listLabels: Action = {
  method: 'get',
  path: '/labels',
  summary: 'List labels: of a workspace with those of its organisation, or all',
  needs: ['prompts.list'],
  in: 'either',
  query: schema.Object({
    organisation_id: schema.Optional(
      schema.String({ maxLength: 255, description: 'Without `workspace_id`: only what belongs to the organisation.' }),
    ),
    search: schema.Optional(schema.String({ maxLength: 255 })),
    ...pageFields(),
  }),
  reply: schema.Object(
    { object: schema.Literal('list'), total: schema.Integer(), data: schema.Array(shownLabel) },
    { additionalProperties: false },
  ),
  run: async (operation) => {
    const { query, scope } = operation;
    const asked = query.organisation_id ?? '';
    const organisation = { organisationId: scope.organisationId };
    if (asked !== '') await operation.records('organisations').get(organisation, asked);
    await makeUniversal(operation);
    const { total, records } = await operation.records<LabelRecord>('labels').list(organisation, {
      where: placesOf(scope.workspaceId, asked !== ''),
      orderBy: [
        { column: 'is_universal', order: 'desc' },
        { column: 'created_at', order: 'desc' },
      ],
      ...pageOf(operation),
      ...(query.search === undefined ? {} : { search: query.search }),
    });
    return { object: 'list', total, data: records.map((record) => shown(operation, record)) };
  },
};

export const getLabel: Action = {
  method: 'get',
  path: '/labels/:id',
  summary: 'Get one label, of the workspace or of its organisation',
  needs: ['prompts.read'],
  in: 'either',
  reply: shownLabel,
  run: async (operation) => {
    const { id = '' } = operation.params;
    const found = await labelInReach(operation, operation.scope.workspaceId, id);
    if (found !== undefined) return shown(operation, found);
    throw new GatewayError('not_found', `There is no label with the id "${id.slice(0, 100)}".`, { param: 'id' });
  },
};

/** The label, where the workspace sees it: it is its own, or the organisation's. From the organisation all are seen. */
export async function labelInReach(
  operation: Operation,
  workspaceId: string | undefined,
  id: string,
): Promise<LabelRecord | undefined> {
  const { organisationId } = operation.scope;
  const found = await operation.records<LabelRecord>('labels').find({ organisationId }, id);
  const seen = workspaceId === undefined || found?.place === '' || found?.place === workspaceId;
  return seen ? found : undefined;
}

function placesOf(workspaceId: string | undefined, ofOrganisationAlone: boolean): { place?: string[] } {
  if (workspaceId !== undefined) return { place: ['', workspaceId] };
  return ofOrganisationAlone ? { place: [''] } : {};
}

function shown(operation: Operation, record: LabelRecord): JsonObject {
  return {
    id: record.id,
    name: record.name,
    description: asString(record.description) ?? null,
    color_code: asString(record.color_code) ?? null,
    organisation_id: record.organisation_id,
    workspace_id: record.workspace_id,
    is_universal: record.is_universal,
    status: record.status,
    created_at: operation.time(record.created_at),
    last_updated_at: operation.time(record.last_updated_at),
    object: 'label',
  };
}
