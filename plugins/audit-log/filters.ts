import { GatewayError, type Operation } from 'portcullis/sdk';
import { type AuditRow, table } from './table.ts';

/** Query parameters that a column must equal. */
const equal = [
  'method',
  'uri',
  'request_id',
  'user_id',
  'user_type',
  'resource_type',
  'resource_id',
  'action',
  'client_ip',
] as const satisfies readonly (keyof AuditRow)[];

/** The rows that a query asks for, within the caller's organisation. `country` is known of none: asking for one finds nothing. */
export function rowsOf({ db, query, scope }: Pick<Operation, 'db' | 'query' | 'scope'>, workspaceId?: string) {
  const rows = db<AuditRow>(table).where('organisation_id', scope.organisationId);
  for (const name of equal) {
    const value = query[name];
    if (value !== undefined && value !== '') rows.where(name, name === 'method' ? value.toUpperCase() : value);
  }
  if (workspaceId !== undefined) rows.where('workspace_id', workspaceId);
  const status = query.response_status_code;
  if (status !== undefined && status !== '') rows.where('response_status_code', statusOf(status));
  if (query.country !== undefined && query.country !== '') rows.whereRaw('1 = 0');
  return rows;
}

function statusOf(text: string): number {
  if (/^[1-5]\d\d$/.test(text)) return Number(text);
  throw new GatewayError('bad_request', 'response_status_code must be an HTTP status, such as 200.', {
    param: 'response_status_code',
  });
}
