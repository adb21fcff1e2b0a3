import { type Db, GatewayError, type Operation, type StoredRecord } from 'portcullis/sdk';

/** A membership with the person behind it, as a row of both tables. */
export interface MemberRow {
  readonly membership_id: string;
  readonly id: string;
  readonly workspace_id: string;
  readonly role: string;
  readonly org_role: string;
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly status: string;
  readonly created_at: number;
  readonly last_updated_at: number;
}

export interface MemberFilter {
  readonly userId?: string;
  readonly role?: string;
  /** Lower case. */
  readonly email?: string;
  readonly page?: number;
  readonly pageSize?: number;
}

const mostListed = 1000;

/** The members of a workspace, newest first. */
export async function membersOf(
  { db, scope }: Operation,
  workspaceId: string,
  filter: MemberFilter = {},
): Promise<readonly MemberRow[]> {
  const { page = 0, pageSize = mostListed } = filter;
  return filtered(db, scope.organisationId, workspaceId, filter)
    .orderBy([
      { column: 'm.created_at', order: 'desc' },
      { column: 'm.id', order: 'desc' },
    ])
    .limit(pageSize)
    .offset(page * pageSize)
    .select({
      membership_id: 'm.id',
      id: 'u.id',
      workspace_id: 'm.workspace_id',
      role: 'm.role',
      org_role: 'u.role',
      email: 'u.email',
      first_name: 'u.first_name',
      last_name: 'u.last_name',
      status: 'u.status',
      created_at: 'm.created_at',
      last_updated_at: 'm.last_updated_at',
    });
}

export async function countMembers(
  { db, scope }: Operation,
  workspaceId: string,
  filter: MemberFilter,
): Promise<number> {
  const counted = await filtered(db, scope.organisationId, workspaceId, filter).count({ total: '*' }).first();
  return Number((counted as { total?: number } | undefined)?.total ?? 0);
}

/** @throws GatewayError `not_found` */
export async function memberOf(operation: Operation, workspaceId: string, userId: string): Promise<MemberRow> {
  const [member] = await membersOf(operation, workspaceId, { userId });
  if (member !== undefined) return member;
  throw new GatewayError('not_found', `The workspace has no member "${userId.slice(0, 100)}".`, { param: 'user_id' });
}

function filtered(db: Db, organisationId: string, workspaceId: string, { userId, role, email }: MemberFilter) {
  const rows = db('workspace_members as m')
    .join('users as u', 'u.id', 'm.user_id')
    .where({ 'm.organisation_id': organisationId, 'm.workspace_id': workspaceId, 'u.status': 'active' });
  if (userId !== undefined) rows.andWhere('m.user_id', userId);
  if (role !== undefined) rows.andWhere('m.role', role);
  if (email !== undefined) rows.andWhere('u.email', email);
  return rows;
}

/** The memberships of people, by their ids. */
export async function workspacesOfUsers(
  { db, scope }: Operation,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows: readonly Pick<StoredRecord, 'workspace_id'>[] & readonly { user_id: string }[] = await db(
    'workspace_members',
  )
    .where('organisation_id', scope.organisationId)
    .whereIn('user_id', userIds)
    .orderBy('created_at')
    .select('user_id', 'workspace_id');
  const found = new Map<string, string[]>(userIds.map((id) => [id, []]));
  for (const { user_id, workspace_id } of rows) found.get(user_id)?.push(String(workspace_id));
  return found;
}
