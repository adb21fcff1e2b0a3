import { asObject, type Json, type JsonObject, parseJson } from 'portcullis/sdk';
import type { AuditRow } from './table.ts';

/** An entry as the API shows it. Nothing here tells the country of an address. */
export function recordOf(row: AuditRow, timestamp: Json): JsonObject {
  const entry = asObject(parseJson(row.entry)) ?? {};
  return {
    id: row.id,
    timestamp,
    method: row.method,
    uri: row.uri,
    request_id: row.request_id,
    request_body: JSON.stringify(entry.body ?? {}),
    query_params: JSON.stringify(entry.query ?? {}),
    request_headers: JSON.stringify(entry.headers ?? {}),
    user_id: row.user_id,
    user_type: row.user_type,
    actor_name: row.actor_name,
    organisation_id: row.organisation_id,
    workspace_id: row.workspace_id,
    response_status_code: row.response_status_code,
    resource_type: row.resource_type,
    resource_id: row.resource_id,
    action: row.action,
    client_ip: row.client_ip,
    country: null,
    before: entry.before ?? null,
    after: entry.after ?? null,
    detail: entry.detail ?? null,
  };
}
