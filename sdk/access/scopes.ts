import { type KeyType, keyTypes } from '../contracts/access.ts';

/** One family of permissions, `configs` for `configs.list`: its actions, and those that each type of key may hold. */
interface Family {
  readonly actions: readonly string[];
  readonly organisation: readonly string[];
  readonly service: readonly string[];
  readonly user: readonly string[];
}

const none: readonly string[] = [];
const full = ['create', 'read', 'update', 'delete', 'list'] as const;
const rotated = [...full, 'rotate'] as const;
const seen = ['read', 'update', 'list'] as const;

const only = {
  everywhere: (actions: readonly string[]): Family => ({
    actions,
    organisation: actions,
    service: actions,
    user: actions,
  }),
  organisation: (actions: readonly string[]): Family => ({ actions, organisation: actions, service: none, user: none }),
  workspaces: (actions: readonly string[]): Family => ({
    actions,
    organisation: none,
    service: actions,
    user: actions,
  }),
  /** The only difference between the two types of workspace key. */
  services: (actions: readonly string[]): Family => ({
    actions,
    organisation: actions,
    service: actions,
    user: none,
  }),
  /** Workspace keys see what the organisation offers. */
  listed: (actions: readonly string[]): Family => ({
    actions,
    organisation: actions,
    service: ['list'],
    user: ['list'],
  }),
};

const join = (...parts: readonly Family[]): Family => ({
  actions: parts.flatMap(({ actions }) => actions),
  organisation: parts.flatMap(({ organisation }) => organisation),
  service: parts.flatMap(({ service }) => service),
  user: parts.flatMap(({ user }) => user),
});

const families = {
  organisation_users: only.organisation(full),
  organisation_settings: only.organisation(['read', 'update']),
  organisation_guardrails: only.organisation(full),
  organisation_exclusions: only.organisation(['update', 'list']),
  organisation_service_api_keys: only.organisation(rotated),
  workspace_service_api_keys: only.services(rotated),
  workspace_user_api_keys: only.services(rotated),
  workspaces: { actions: full, organisation: full, service: seen, user: seen },
  workspace_users: only.everywhere(full),
  organisation_integrations: only.listed(full),
  organisation_mcp_integrations: only.listed(full),
  organisation_agent_integrations: only.listed(full),
  workspace_integrations: only.everywhere(full),
  workspace_mcp_integrations: only.everywhere(full),
  workspace_agent_integrations: only.everywhere(full),
  mcp_servers: only.everywhere(full),
  agent_servers: only.everywhere(full),
  agent_server_skills: only.everywhere(full),
  agent_integration_skills: only.everywhere(full),
  agent_server_user_access: only.everywhere(full),
  prompts: join(only.everywhere([...full, 'publish']), only.workspaces(['render'])),
  configs: only.everywhere(full),
  guardrails: join(only.everywhere(full), only.workspaces(['invoke'])),
  providers: only.everywhere(full),
  policies: only.everywhere(full),
  virtual_keys: only.everywhere([...full, 'duplicate', 'copy']),
  audit_logs: only.organisation(['list']),
  plugins: only.organisation(['create', 'update', 'list']),
  deployments: only.organisation(full),
  secret_references: only.organisation(full),
  analytics: only.everywhere(['view']),
  logs: join(only.everywhere(['export', 'list', 'view']), only.workspaces(['write'])),
  completions: only.workspaces(['write']),
  mcp: only.workspaces(['invoke']),
  agents: only.workspaces(['invoke']),
} as const satisfies Readonly<Record<string, Family>>;

export type ScopeFamily = keyof typeof families;

const collected = (of: (family: Family) => readonly string[]): ReadonlySet<string> =>
  new Set(Object.entries(families).flatMap(([name, family]) => of(family).map((action) => `${name}.${action}`)));

/** Every scope that a key can hold (control-plane.md §0.5). */
export const allScopes: ReadonlySet<string> = collected(({ actions }) => actions);

const byType: Readonly<Record<KeyType, ReadonlySet<string>>> = {
  'organisation-service': collected(({ organisation }) => organisation),
  'workspace-service': collected(({ service }) => service),
  'workspace-user': collected(({ user }) => user),
};

/** The scopes that a key of this type may hold. */
export function scopesOfKeyType(type: KeyType): ReadonlySet<string> {
  return byType[type];
}

/** Names that only signed tokens bring. */
const tokensOnly = ['completions.read', 'logs.read', 'feedbacks.read', 'feedbacks.write'];

/** What a signed token may claim: as a workspace's key, and never anything of the organisation (§2.1). */
export const tokenScopes: ReadonlySet<string> = new Set([
  ...[...byType['workspace-service']].filter((scope) => !scope.startsWith('organisation_')),
  ...tokensOnly,
]);

export function isScope(value: string): boolean {
  return allScopes.has(value);
}

export function isKeyType(value: unknown): value is KeyType {
  return keyTypes.some((type) => type === value);
}

/** The family of permissions that governs keys of this type. */
export const keyFamilies = {
  'organisation-service': 'organisation_service_api_keys',
  'workspace-service': 'workspace_service_api_keys',
  'workspace-user': 'workspace_user_api_keys',
} as const satisfies Readonly<Record<KeyType, ScopeFamily>>;

const twins = { virtual_keys: 'providers', providers: 'virtual_keys' } as const;

/** `virtual_keys.read` for `providers.read`, and back: two names of the same right, the first of them deprecated. */
export function twinOf(scope: string): string | undefined {
  const [family = '', action] = scope.split('.');
  const twin = Object.hasOwn(twins, family) ? `${twins[family as keyof typeof twins]}.${action}` : undefined;
  return twin !== undefined && allScopes.has(twin) ? twin : undefined;
}

/** The scopes with the other name of each. */
export function withTwins(scopes: Iterable<string>): ReadonlySet<string> {
  const both = new Set<string>();
  for (const scope of scopes) {
    both.add(scope);
    const twin = twinOf(scope);
    if (twin !== undefined) both.add(twin);
  }
  return both;
}
