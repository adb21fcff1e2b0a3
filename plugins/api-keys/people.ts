import type { Operation, StoredRecord } from 'portcullis/sdk';
import type { KeyRecord } from './record.ts';

interface UserRecord extends StoredRecord {
  readonly email: string;
}

/** Who is told of what happens to a key. Those whom the key names may be outsiders, and do not see the others' addresses. */
export interface Concerned {
  /** The key's user, and who runs the organisation. */
  readonly people: readonly string[];
  readonly named: readonly string[];
}

export async function concernedBy(operation: Operation, key: KeyRecord): Promise<Concerned> {
  const scope = { organisationId: key.organisation_id };
  const users = operation.records<UserRecord>('users');
  const owner = key.user_id === null ? undefined : await users.find(scope, key.user_id);
  const { records: admins } = await users.list(scope, { where: { role: ['owner', 'admin'], status: 'active' } });
  const people = new Set([...(owner?.status === 'active' ? [owner] : []), ...admins].map(({ email }) => email));
  return { people: [...people], named: (key.alert_emails ?? []).filter((address) => !people.has(address)) };
}
