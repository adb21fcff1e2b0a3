import {
  type Action,
  type ControlHost,
  field,
  GatewayError,
  type Json,
  type JsonObject,
  type Operation,
  pageFields,
  pageOf,
  schema,
} from 'portcullis/sdk';
import { placeOf } from '../read/place.ts';
import { exportable } from './columns.ts';
import { countOf, deniedTo, filterNames, queryOf, valuesOf } from './read-body.ts';
import { shownExport } from './shown.ts';
import { asExport, inWorkspaceOf, wrongState } from './state.ts';
import { type ExportRecord, table } from './table.ts';
import { mayBeSeen } from './visibility.ts';

const needs = ['logs.export'];
const made = schema.Object({ id: field.id(), total: field.integer(0), object: field.oneOf(['export']) });
const shown = field.object();

const body = schema.Object({
  workspace_id: schema.Optional(field.id()),
  filters: schema.Optional(
    field.object({
      description: 'As the query of analytics, with page_size up to 50000.',
      properties: Object.fromEntries(filterNames.map((name) => [name, {}])),
    }),
  ),
  requested_data: schema.Optional(field.list(field.text(), { maxItems: 100 })),
  description: schema.Optional(schema.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 1024 })),
});

/** The drafts of exports, and what became of them (control-plane.md §1.19.1). Which permission they need is one for all. */
export function exportActions(host: ControlHost): readonly Action[] {
  return [
    {
      method: 'post',
      path: '/logs/exports',
      summary: 'Makes the draft of an export',
      // The logs are asked how many there are, and nothing else shall wait for that.
      transaction: false,
      needs,
      of: table,
      body,
      reply: made,
      async run(operation) {
        if (operation.scope.workspaceId === undefined)
          throw new GatewayError('bad_request', 'workspace_id is required: the id or slug of a workspace.', {
            param: 'workspace_id',
          });
        const values = valuesOf(operation, operation.body);
        const total = await counted(operation, values.filters);
        const { scope, actorId } = operation;
        const id = await host.transaction(scope, async ({ db, records }) => {
          const made = await records(table).create(scope, { ...values, status: 'draft' });
          // The transaction is the gateway's own; whose the export is, its maker decides.
          await db(table).where({ id: made.id }).update({ created_by: actorId });
          return made.id;
        });
        return { id, total, object: 'export' };
      },
    },
    {
      method: 'get',
      path: '/logs/exports',
      summary: 'Lists exports',
      needs,
      query: schema.Object({ workspace_id: schema.Optional(field.id()), ...pageFields() }),
      reply: schema.Object({ object: field.oneOf(['list']), total: field.integer(0), data: schema.Array(shown) }),
      async run(operation) {
        const where = (await mayBeSeen(operation)) === 'own' ? { created_by: operation.actorId } : {};
        const { total, records } = await operation
          .records<ExportRecord>(table)
          .list(operation.scope, { where, ...pageOf(operation) });
        return { object: 'list', total, data: records.map((record) => shownExport(operation, record)) };
      },
    },
    {
      method: 'get',
      path: '/logs/exports/field-restrictions',
      summary: 'The fields that the caller may not export',
      needs,
      reply: schema.Object({
        deniedFields: schema.Array(field.text()),
        allowedFields: schema.Array(field.text()),
        object: field.oneOf(['field-restrictions']),
      }),
      run(operation) {
        const denied = deniedTo(operation);
        const allowed = exportable.filter((name) => !denied.includes(name));
        return { deniedFields: denied, allowedFields: allowed, object: 'field-restrictions' };
      },
    },
    {
      method: 'get',
      path: '/logs/exports/:id',
      summary: 'One export',
      needs,
      of: table,
      reply: shown,
      run: (operation, record) => shownExport(operation, asExport(record)),
    },
    {
      method: 'put',
      path: '/logs/exports/:id',
      summary: 'Changes the draft of an export',
      transaction: false,
      needs,
      of: table,
      body,
      reply: made,
      async run(operation, record) {
        const before = asExport(record);
        if (before.status !== 'draft') throw wrongState(before.status, 'Only a draft can be changed');
        const at = inWorkspaceOf(operation, before);
        const values = valuesOf(at, operation.body, before);
        const total = await counted(at, values.filters);
        await host.transaction(at.scope, async ({ records, scope }) => {
          const now = await records<ExportRecord>(table).get(scope, before.id);
          if (now.status !== 'draft') throw wrongState(now.status, 'Only a draft can be changed');
          await records(table).update(scope, before.id, values);
        });
        return { id: before.id, total, object: 'export' };
      },
    },
  ];

  async function counted(operation: Operation, filters: JsonObject): Promise<number> {
    await refuseElsewhere(operation, filters.workspace_slug);
    return countOf(host, queryOf(filters, await placeOf(operation), operation.now));
  }
}

/** An export is of the workspace that it is made in; of another one that its filters name, it would hold nothing. */
async function refuseElsewhere({ records, scope }: Operation, named: Json | undefined): Promise<void> {
  if (named === undefined || named === null || named === '') return;
  const { organisationId, workspaceId } = scope;
  const workspace = typeof named === 'string' ? await records('workspaces').find({ organisationId }, named) : undefined;
  if (workspace !== undefined && workspace.id === workspaceId) return;
  throw new GatewayError(
    'bad_request',
    'filters.workspace_slug must be the slug or id of the workspace that the export is made in: leave it out, and name another one as workspace_id.',
    { param: 'filters.workspace_slug' },
  );
}
