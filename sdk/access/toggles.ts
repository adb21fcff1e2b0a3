import type { SecurityToggles } from '../contracts/directory.ts';

/** Whom a toggle concerns: a role of a workspace, or the organisation's owners and admins. */
export type ToggleRole = 'member' | 'manager' | 'organisation_admin';

export interface Toggle {
  readonly role: ToggleRole;
  /** What holds while nobody has set it. */
  readonly standard: boolean;
  /** The scopes that the role loses when it is false. */
  readonly removes: readonly string[];
}

const scopes = (families: readonly string[], actions: readonly string[]): readonly string[] =>
  families.flatMap((family) => actions.map((action) => `${family}.${action}`));

const seeing = ['list', 'read'];
const writing = ['create', 'update', 'delete'];
const keyFamilies = ['workspace_service_api_keys', 'workspace_user_api_keys'];
const providerFamilies = ['virtual_keys', 'providers'];

/**
 * What a role may see. A log's line (when, which model, how many tokens) and what was said in it are two rights: the one
 * is `ViewLogMetadata`, the other `ViewLogs`. `ViewAllData` takes no scope away, it narrows logs and analytics to the
 * caller's own.
 */
const views = {
  ViewLogs: ['logs.view', 'logs.export'],
  ViewLogMetadata: ['logs.list'],
  ViewAllData: [],
  ViewApiKeys: scopes(keyFamilies, seeing),
  ViewConfigs: scopes(['configs'], seeing),
  ViewPrompts: scopes(['prompts'], seeing),
  ViewAnalytics: ['analytics.view'],
  ViewGuardrails: scopes(['guardrails'], seeing),
  ViewVirtualKeys: scopes(providerFamilies, seeing),
} as const;

const writes = {
  WriteApiKeys: scopes(keyFamilies, [...writing, 'rotate']),
  WriteConfigs: scopes(['configs'], writing),
  WritePrompts: scopes(['prompts'], [...writing, 'publish']),
  WriteGuardrails: scopes(['guardrails'], writing),
  WriteVirtualKeys: [...scopes(providerFamilies, writing), 'virtual_keys.duplicate', 'virtual_keys.copy'],
} as const;

const managersAlone = {
  managersUpdateWs: ['workspaces.update'],
  managersWriteWsUsers: scopes(['workspace_users'], writing),
  managersWriteWsIntegrations: scopes(['workspace_integrations'], writing),
  managersWriteWsMcpIntegrations: scopes(
    ['workspace_mcp_integrations', 'workspace_agent_integrations', 'agent_integration_skills'],
    writing,
  ),
  managersWriteMcpServers: scopes(
    ['mcp_servers', 'agent_servers', 'agent_server_skills', 'agent_server_user_access'],
    writing,
  ),
} as const;

const organisationAdmins = {
  organisationAdminsViewLogs: views.ViewLogs,
  organisationAdminsViewLogMetadata: views.ViewLogMetadata,
} as const;

type Removals = Readonly<Record<string, readonly string[]>>;

/** Of what members may write, only keys of their own are open by default (§1.24, ledger 24). */
const closed: ReadonlySet<string> = new Set([
  'membersWriteConfigs',
  'membersWritePrompts',
  'membersWriteGuardrails',
  'membersWriteVirtualKeys',
]);

const rows = (role: ToggleRole, prefix: string, removals: Removals): [string, Toggle][] =>
  Object.entries(removals).map(([name, removes]) => [
    `${prefix}${name}`,
    { role, standard: !closed.has(`${prefix}${name}`), removes },
  ]);

/** Every security toggle of organisations and workspaces, by its name in `security_settings`. */
export const securityToggles: Readonly<Record<string, Toggle>> = Object.freeze(
  Object.fromEntries([
    ...rows('member', 'members', { ...views, ...writes }),
    ...rows('manager', 'managers', { ...views, ...writes }),
    ...rows('manager', '', managersAlone),
    ...rows('organisation_admin', '', organisationAdmins),
  ]),
);

export const toggleNames: readonly string[] = Object.keys(securityToggles);

/** The toggles with what holds where nothing is set. */
export const standardToggles: SecurityToggles = Object.freeze(
  Object.fromEntries(Object.entries(securityToggles).map(([name, { standard }]) => [name, standard])),
);

/** Whether the toggle is on. @param security the toggles that are set */
export function toggleOn(security: SecurityToggles, name: string): boolean {
  const set = Object.hasOwn(security, name) ? security[name] : undefined;
  return set ?? (Object.hasOwn(securityToggles, name) ? (securityToggles[name]?.standard ?? false) : false);
}

/** The scopes that the toggles take from a role. */
export function removedFrom(role: ToggleRole, security: SecurityToggles): ReadonlySet<string> {
  const removed = Object.entries(securityToggles)
    .filter(([name, toggle]) => toggle.role === role && !toggleOn(security, name))
    .flatMap(([, toggle]) => toggle.removes);
  return new Set(removed);
}
