import type { AuditEvent, Db, JsonObject } from 'portcullis/sdk';
import { mask } from './mask.ts';
import { type AuditRow, lengths, table } from './table.ts';

/** Stores one event inside the transaction of the change that it tells of: neither is there without the other. */
export async function write(event: AuditEvent, db: Db, stamp: { readonly id: string; readonly now: number }) {
  const { before, after, detail, query, body, headers } = event;
  const row: AuditRow = {
    id: stamp.id,
    organisation_id: event.organisationId,
    workspace_id: event.workspaceId ?? null,
    created_at: stamp.now,
    user_type: event.userType,
    method: cut(event.method, lengths.method),
    uri: cut(withoutQuery(event.uri), lengths.uri),
    request_id: cut(event.requestId, lengths.request_id),
    user_id: cut(event.userId, lengths.user_id),
    actor_name: cut(event.actorName, lengths.actor_name),
    resource_type: event.resourceType.slice(0, lengths.resource_type),
    resource_id: cut(event.resourceId, lengths.resource_id),
    action: event.action.slice(0, lengths.action),
    client_ip: cut(event.clientIp, lengths.client_ip),
    response_status_code: event.status ?? null,
    entry: JSON.stringify(maskedParts({ before, after, detail, query, body, headers })),
  };
  await db(table).insert(row);
}

function maskedParts(parts: Readonly<Record<string, JsonObject | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, part]) => (part === undefined ? [] : [[name, mask(part)]])),
  );
}

/** Query parameters stand in a member of their own, where they are masked by name. */
function withoutQuery(uri: string | undefined): string | undefined {
  return uri?.split('?', 1)[0];
}

function cut(text: string | undefined, length: number): string | null {
  return text === undefined ? null : text.slice(0, length);
}
