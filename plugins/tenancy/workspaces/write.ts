import {
  asObject,
  GatewayError,
  type JsonObject,
  keptReset,
  normaliseRateLimits,
  normaliseUsageLimits,
  type Operation,
  overriddenSettings,
  type StoredRecord,
  settingsInForce,
  type UsageLimits,
  type Values,
} from 'portcullis/sdk';
import { checkLifetimes } from '../organisations/update.ts';
import { ownOrganisation } from '../own-organisation.ts';
import { refusal } from '../refusal.ts';
import { readSettings } from '../settings-body.ts';
import { readDefaults } from './defaults.ts';
import { splitName } from './name.ts';

export async function createWorkspace(operation: Operation, body: JsonObject): Promise<Values> {
  const organisation = await ownOrganisation(operation);
  if (body.is_default === 1) throw refusal('is_default', 'is set by updating the workspace once it is there');
  const limits = limitsOf({ usage_limits: null, rate_limits: null, ...body });
  return {
    ...splitName(String(body.name)),
    is_default: 0,
    description: body.description ?? null,
    creation_source: operation.access.keyId === undefined ? 'ui' : 'api',
    defaults: await readDefaults(operation, organisation, undefined, asObject(body.defaults) ?? {}),
    ...limits,
    ...keptReset({ created_at: operation.now }, [], limits.usage_limits ?? [], operation.now),
    settings: {},
    security_settings: {},
    data_plane_security_settings: {},
    ...settingsOf(organisation, { id: '' }, body),
  };
}

export async function updateWorkspace(
  operation: Operation,
  workspace: StoredRecord,
  body: JsonObject,
): Promise<Values> {
  const organisation = await ownOrganisation(operation);
  const defaults = asObject(body.defaults);
  const settings = settingsOf(organisation, workspace, body);
  const limits = limitsOf(body);
  const limited = Object.keys(limits).length > 0 || body.reset_usage === true;
  if (limited || Object.keys(settings).length > 0) demandAdmin(operation, workspace);
  demandDefaultRight(operation, workspace, body);
  const old = (workspace.usage_limits ?? []) as readonly UsageLimits[];
  return {
    ...(typeof body.name === 'string' ? splitName(body.name) : {}),
    ...limits,
    ...keptReset(workspace, old, limits.usage_limits ?? old, operation.now),
    ...(defaults === undefined ? {} : { defaults: await readDefaults(operation, organisation, workspace, defaults) }),
    // What the body calls so is asked for; what is stored is what was granted.
    ...stored(workspace, body),
    ...settings,
    ...(body.reset_usage === true ? { last_reset_at: operation.now } : {}),
  };
}

function limitsOf({ usage_limits, rate_limits }: JsonObject): Values & { readonly usage_limits?: UsageLimits[] } {
  return {
    ...(usage_limits === undefined ? {} : { usage_limits: normaliseUsageLimits(usage_limits, 'usage_limits') }),
    ...(rate_limits === undefined ? {} : { rate_limits: normaliseRateLimits(rate_limits, 'rate_limits', { max: 50 }) }),
  };
}

const settingsNames = ['settings', 'security_settings', 'data_plane_security_settings'] as const;

function stored(workspace: StoredRecord, body: JsonObject): Values {
  const given = settingsNames.filter((name) => body[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, workspace[name] ?? {}]));
}

function settingsOf(
  organisation: StoredRecord,
  workspace: { readonly [name: string]: unknown },
  body: JsonObject,
): Values {
  const own = overriddenSettings(organisation, workspace, readSettings(body, 'workspace'));
  checkLifetimes(settingsInForce(organisation, { ...workspace, ...own }).settings);
  return own;
}

/** What managers may do is among the settings, and what they may spend among the limits, so neither is theirs to change. */
function demandAdmin({ access }: Operation, workspace: StoredRecord): void {
  const role = access.roleIn(workspace.id);
  if (role === undefined || role === 'admin') return;
  throw new GatewayError(
    'forbidden',
    `The settings and limits of a workspace are for its admins to change; the caller is ${role}.`,
  );
}

/** Which workspace is the default one concerns the whole organisation. */
function demandDefaultRight({ access }: Operation, workspace: StoredRecord, { is_default: wanted }: JsonObject): void {
  if (wanted === undefined || wanted === Number(workspace.is_default)) return;
  if (wanted === 0)
    throw refusal('is_default', 'cannot be taken from the default workspace; make another one the default');
  if (access.scopesIn(undefined).has('workspaces.update') && access.workspaceId === undefined) return;
  throw new GatewayError('forbidden', 'Only who may update every workspace may change which one is the default.', {
    param: 'is_default',
  });
}

/** There is one default workspace: who becomes it takes the place of the one before. */
export async function moveDefault(operation: Operation, before: StoredRecord, after: StoredRecord): Promise<void> {
  if (Number(after.is_default) !== 1 || Number(before.is_default) === 1) return;
  const { id, organisation_id } = after;
  const scope = { organisationId: organisation_id };
  // Written first, so that of two who do this at once the second waits here for the first.
  await operation.records('organisations').update(scope, organisation_id, { default_workspace_id: id });
  await operation
    .db('workspaces')
    .where({ organisation_id, is_default: 1 })
    .andWhereNot('id', id)
    .update({ is_default: 0, last_updated_at: operation.now });
}
