/** What an API key is for: organisation-service keys drive the control plane, workspace keys drive inference too. */
export const keyTypes = ['organisation-service', 'workspace-service', 'workspace-user'] as const;
export type KeyType = (typeof keyTypes)[number];

/** Highest first. */
export const organisationRoles = ['owner', 'admin', 'member'] as const;
export type OrganisationRole = (typeof organisationRoles)[number];

/** Highest first. */
export const workspaceRoles = ['admin', 'manager', 'member'] as const;
export type WorkspaceRole = (typeof workspaceRoles)[number];

/**
 * What a caller who belongs to an organisation may do. Permissions are strings such as `configs.create`; they are
 * those of the moment, cut by the live role of the person behind it and by the security toggles.
 */
export interface Access {
  readonly organisationId: string;
  /** The one workspace that the caller is bound to; undefined: the whole organisation. */
  readonly workspaceId: string | undefined;
  readonly keyId: string | undefined;
  readonly keyType: KeyType | undefined;
  readonly sessionId: string | undefined;
  /** The person behind it: of a session, a user key or a token. */
  readonly userId: string | undefined;
  /** Undefined for service keys. */
  readonly organisationRole: OrganisationRole | undefined;
  /** The role in a workspace; owners and admins of the organisation are admins of each. Undefined: no person, or no member. */
  roleIn(workspaceId: string): WorkspaceRole | undefined;
  /** What it may do in the workspace; undefined: in the organisation itself. */
  scopesIn(workspaceId: string | undefined): ReadonlySet<string>;
}
