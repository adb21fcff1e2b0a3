import { type Action, field, GatewayError, type Json, type Operation, schema } from 'portcullis/sdk';
import { rowsOf } from './filters.ts';
import { pageOf } from './page.ts';
import { periodOf } from './period.ts';
import { recordOf } from './record.ts';

const text = (description: string) => schema.Optional(field.text({ max: 1024, description }));
const nullable = (type: string) => schema.Unsafe<Json>({ type: [type, 'null'] });

const entry = schema.Object({
  id: field.id(),
  timestamp: field.time(),
  method: nullable('string'),
  uri: nullable('string'),
  request_id: nullable('string'),
  request_body: field.text({ description: 'JSON, secrets masked.' }),
  query_params: field.text({ description: 'JSON.' }),
  request_headers: field.text({ description: 'JSON: those that hold no credential.' }),
  user_id: nullable('string'),
  user_type: field.oneOf(['user', 'api_key', 'system']),
  actor_name: nullable('string'),
  organisation_id: field.id(),
  workspace_id: nullable('string'),
  response_status_code: nullable('integer'),
  resource_type: field.text(),
  resource_id: nullable('string'),
  action: field.text(),
  client_ip: nullable('string'),
  country: schema.Unsafe<null>({ type: 'null', description: 'Always null: the gateway has no data of places.' }),
  before: nullable('object'),
  after: nullable('object'),
  detail: nullable('object'),
});

/** `GET /audit-logs`: the only route. There is none that changes or removes an entry. */
export const list: Action = {
  method: 'get',
  path: '/audit-logs',
  admin: true,
  summary: 'Lists who changed what, newest first',
  needs: ['audit_logs.list'],
  in: 'organisation',
  query: schema.Object({
    start_time: text('ISO 8601. Default: 30 days before end_time.'),
    end_time: text('ISO 8601. Default: now.'),
    organisation_id: text('The caller’s own organisation; any other is not found.'),
    workspace_id: text('Id or slug.'),
    method: text('POST, PUT, PATCH or DELETE.'),
    uri: text('The whole path.'),
    request_id: text('The reply’s x-gw-request-id.'),
    user_id: text('Id of the user or key.'),
    user_type: text('user, api_key or system.'),
    response_status_code: text('An HTTP status.'),
    resource_type: text('Such as configs.'),
    resource_id: text('Id of the record.'),
    action: text('Such as create, update or delete.'),
    client_ip: text('Address of the caller.'),
    country: text('Finds nothing: the gateway has no data of places.'),
    current_page: text('From 0.'),
    page_size: text('1 to 100. Default 100.'),
  }),
  reply: schema.Object({
    records: schema.Array(entry),
    total: field.integer(0),
    object: field.oneOf(['list']),
  }),
  async run(operation) {
    const { query, scope } = operation;
    if (query.organisation_id && query.organisation_id !== scope.organisationId) {
      throw new GatewayError('not_found', 'There is no such organisation.', { param: 'organisation_id' });
    }
    const period = periodOf(query, operation.now);
    const { size, offset } = pageOf(query);
    const rows = rowsOf(operation, await workspaceOf(operation));
    rows.whereBetween('created_at', [period.from, period.to]);
    const [counted] = await rows.clone().count({ total: '*' });
    const found = await rows.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(size).offset(offset).select('*');
    return {
      records: found.map((row) => recordOf(row, operation.time(Number(row.created_at)))),
      total: Number(counted?.total ?? 0),
      object: 'list',
    };
  },
};

/** Entries outlive their workspace, so an id that names none any more is looked for all the same. */
async function workspaceOf(operation: Operation): Promise<string | undefined> {
  const given = operation.query.workspace_id;
  if (given === undefined || given === '') return undefined;
  const workspace = await operation
    .records('workspaces')
    .find({ organisationId: operation.scope.organisationId }, given);
  return workspace?.id ?? given;
}
