import { asArray, asString, type Operation, type StoredRecord } from 'portcullis/sdk';
import type { Subject } from './subjects.ts';

interface UserRecord extends StoredRecord {
  readonly email: string;
}

/** Who is told. Those whom a key names may be outsiders, and do not see the others' addresses. */
export interface Recipients {
  /** Admins and managers of the workspace, who runs the organisation, and the key's user. */
  readonly people: readonly string[];
  readonly named: readonly string[];
}

export async function recipientsOf(operation: Operation, { record, workspaceId }: Subject): Promise<Recipients> {
  const scope = { organisationId: operation.scope.organisationId };
  const users = operation.records<UserRecord>('users');
  const ids = new Set(workspaceId === undefined ? [] : await runningThere(operation, workspaceId));
  const owner = asString(record.user_id);
  if (owner !== undefined) ids.add(owner);
  const admins = await users.list(scope, { where: { role: ['owner', 'admin'], status: 'active' } });
  const others = ids.size === 0 ? [] : (await users.list(scope, { where: { id: [...ids], status: 'active' } })).records;
  const people = new Set([...admins.records, ...others].map(({ email }) => email));
  const named = asArray(record.alert_emails).flatMap((address) => asString(address) ?? []);
  return { people: [...people], named: named.filter((address) => !people.has(address)) };
}

async function runningThere(operation: Operation, workspaceId: string): Promise<readonly string[]> {
  const scope = { organisationId: operation.scope.organisationId, workspaceId };
  const { records } = await operation
    .records('workspace_members')
    .list(scope, { where: { role: ['admin', 'manager'] } });
  return records.flatMap(({ user_id }) => asString(user_id) ?? []);
}
