import {
  enforcedBudget,
  GatewayError,
  isOrganisationAdmin,
  type JsonObject,
  lastReset,
  type Operation,
  type StoredRecord,
  settingsInForce,
  shownBudget,
  type UsageLimits,
  type Values,
} from 'portcullis/sdk';
import { membersOf } from '../members/read.ts';
import { securityOf, showMember } from '../members/show.ts';
import { ownOrganisation } from '../own-organisation.ts';
import { refusal } from '../refusal.ts';
import { showDefaults } from './defaults.ts';
import { displayName, splitName } from './name.ts';

const statuses = ['active', 'archived'];
const mostListed = 10_000;

/** Owners, admins, and keys of the organisation itself. */
function seesAll({ access }: Operation): boolean {
  return (
    access.workspaceId === undefined && (access.userId === undefined || isOrganisationAdmin(access.organisationRole))
  );
}

/** Conditions of the list: what the query asks for, within what the caller may know of. */
export async function listConditions(operation: Operation): Promise<Values> {
  const { access, query } = operation;
  const asked = (query.status ?? '').split(',').map((part) => part.trim());
  const status = asked.filter((part) => part !== '');
  const unknown = status.find((one) => !statuses.includes(one));
  if (unknown !== undefined)
    throw refusal('status', `has "${unknown.slice(0, 50)}"; accepted are ${statuses.join(', ')}`);
  if (status.includes('archived') && !seesAll(operation))
    throw new GatewayError('forbidden', 'Only owners and admins of the organisation may list archived workspaces.', {
      param: 'status',
    });
  return {
    ...(status.length === 0 ? {} : { status }),
    ...(access.workspaceId === undefined ? {} : { id: access.workspaceId }),
    ...(access.workspaceId === undefined && !seesAll(operation) ? { id: await ownWorkspaces(operation) } : {}),
    ...(await nameCondition(operation)),
  };
}

async function ownWorkspaces({ db, access, scope }: Operation): Promise<readonly string[]> {
  const rows = await db('workspace_members')
    .where({ organisation_id: scope.organisationId, user_id: access.userId ?? '' })
    .limit(mostListed)
    .select('workspace_id');
  return rows.map(({ workspace_id }) => String(workspace_id));
}

/** `name` is a part of the name, `exact_name` all of it; both with or without the icon. */
async function nameCondition({ db, query, scope }: Operation): Promise<Values> {
  const { name: part = '', exact_name: exact = '' } = query;
  if (part === '' && exact === '') return {};
  const rows = db('workspaces').where('organisation_id', scope.organisationId).distinct('name').limit(mostListed);
  if (part !== '') rows.andWhereRaw('instr(name, ?) > 0', [splitName(part).name]);
  if (exact !== '') rows.andWhere('name', splitName(exact).name);
  return { name: (await rows).map(({ name }) => String(name)) };
}

/** Workspaces of others do not exist for members; archived ones only for those who may list them. */
export function isVisible(operation: Operation, workspace: StoredRecord): boolean {
  const { access } = operation;
  if (access.workspaceId !== undefined) return workspace.id === access.workspaceId && workspace.status !== 'archived';
  return seesAll(operation) || (workspace.status !== 'archived' && access.roleIn(workspace.id) !== undefined);
}

export async function showWorkspace(
  operation: Operation,
  workspace: StoredRecord,
  { detail }: { readonly detail: boolean },
): Promise<JsonObject> {
  const organisation = await ownOrganisation(operation);
  const inForce = settingsInForce(organisation, workspace);
  const named = { icon: (workspace.icon ?? null) as string | null, name: String(workspace.name) };
  const budgets = (workspace.usage_limits ?? []) as readonly UsageLimits[];
  const [limits] = budgets;
  const budget = limits === undefined ? undefined : enforcedBudget(limits, workspace);
  const members = detail ? await membersOf(operation, workspace.id) : [];
  return {
    name: operation.query.name_format === 'plain' ? named.name : displayName(named),
    icon: named.icon,
    ...inForce,
    defaults: await showDefaults(operation, workspace),
    usage_limits: budgets.map((one) => shownBudget(one, workspace, operation.now)),
    rate_limits: (workspace.rate_limits ?? []) as JsonObject[],
    last_reset_at: operation.time(lastReset(budget, workspace, operation.now)),
    created_by: workspace.created_by,
    ...(detail
      ? { users: members.map((member) => showMember(operation, member, securityOf(organisation, workspace))) }
      : {}),
  };
}
