import {
  type Action,
  type ControlHost,
  columnsOf,
  field,
  GatewayError,
  groupedLogs,
  groupingOf,
  integerOf,
  logColumnsField,
  logFilterFields,
  logGroupsReply,
  logPageFields,
  nullable,
  ownKeys,
  readLogFilter,
  readPeriod,
  schema,
} from 'portcullis/sdk';
import { placeOf } from './place.ts';
import { readNeeds, seenBy } from './rights.ts';
import { shownEntry, shownRow, slugsOf } from './shown.ts';

/** Days before now, where a list says no time. */
const standardDays = 30;

/** `GET /logs`, `/logs/{id}` and `/logs/groups/{groupBy}`. Without a workspace they mean the whole organisation. */
export function readActions(host: ControlHost): readonly Action[] {
  return [
    {
      method: 'get',
      path: '/logs',
      summary: 'Lists requests, newest first',
      needs: ['logs.list'],
      archived: true,
      query: schema.Object({
        ...logFilterFields,
        current_page: logPageFields.current_page,
        page_size: logPageFields.page_size,
      }),
      reply: schema.Object({
        object: field.oneOf(['list']),
        total: field.integer(0),
        data: schema.Array(field.object()),
      }),
      async run(operation) {
        const { query, now } = operation;
        const filter = readLogFilter(query, await placeOf(operation), readPeriod(query, { now, standardDays }));
        const limit = integerOf(query.page_size, 'page_size', 1, 1000, 100);
        const offset = integerOf(query.current_page, 'current_page', 0, 1_000_000, 0) * limit;
        const { total, entries } = await host.logs.list(filter, { limit, offset });
        const rows = entries.map(({ row }) => row);
        const slugs = await slugsOf(operation, rows);
        const data = rows.map((row) => shownRow(operation, row, slugs.get(row.workspaceId) ?? null));
        return { object: 'list', total, data };
      },
    },
    {
      method: 'get',
      path: '/logs/:id',
      summary: 'One request, with what was said where it is kept and the caller may see it',
      needs: readNeeds,
      archived: true,
      query: schema.Object({
        created_at: schema.Optional(field.text({ description: 'Not needed: the id alone finds a log.' })),
        workspace_slug: logFilterFields.workspace_slug,
      }),
      reply: schema.Object({
        _id: field.id(),
        request: field.object(),
        response: field.object(),
        organisation_id: field.id(),
        workspace_id: field.id(),
        metrics: field.object(),
        finalUntransformedRequest: nullable(field.object()),
        transformedRequest: nullable(field.object()),
        originalResponse: nullable(field.object()),
      }),
      async run(operation) {
        const { scope, params } = operation;
        const seen = await seenBy(operation);
        const entry = await host.logs.find(scope.organisationId, params.id ?? '');
        const row = entry?.row;
        const here = row !== undefined && (scope.workspaceId ?? row.workspaceId) === row.workspaceId;
        const keyIds = await ownKeys(operation);
        if (entry === undefined || row === undefined || !here || !(keyIds?.includes(row.keyId ?? '') ?? true))
          throw new GatewayError('not_found', `There is no log with the id "${(params.id ?? '').slice(0, 100)}".`, {
            param: 'id',
          });
        const slugs = await slugsOf(operation, [row]);
        return shownEntry(operation, entry, seen, slugs.get(row.workspaceId) ?? null);
      },
    },
    {
      method: 'get',
      path: '/logs/groups/:groupBy',
      summary: 'Requests by model, status, key and the like',
      needs: ['logs.list'],
      archived: true,
      query: schema.Object({ ...logFilterFields, ...logPageFields, ...logColumnsField }),
      reply: logGroupsReply,
      async run(operation) {
        const { query, now, params } = operation;
        const grouping = groupingOf(params.groupBy ?? '');
        const columns = columnsOf(query);
        const filter = readLogFilter(query, await placeOf(operation), readPeriod(query, { now, standardDays }));
        return groupedLogs(operation, host.logs, filter, grouping, columns);
      },
    },
  ];
}
