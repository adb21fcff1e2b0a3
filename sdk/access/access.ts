import type { Access, WorkspaceRole } from '../contracts/access.ts';
import type { KeyEntry, MemberEntry, SessionEntry } from '../contracts/directory.ts';
import { isOrganisationAdmin, nothing, scopesOfMemberIn, scopesOfOrganisationRole, workspaceRoleOf } from './roles.ts';
import { scopesOfKeyType, tokenScopes, withTwins } from './scopes.ts';

/**
 * What the key may do now: within its type; a person's key also within that person's live role and the toggles. The same
 * object for the same entry, so its sets are worked out once.
 */
export function accessOfKey(entry: KeyEntry): Access {
  const known = ofKeys.get(entry);
  if (known !== undefined) return known;
  const made = entry.type === 'organisation-service' ? organisationKey(entry) : workspaceKey(entry);
  ofKeys.set(entry, made);
  return made;
}

/** What a person may do, in the whole organisation: for sessions, and to see what a user's key can be given. */
export function accessOfMember(member: MemberEntry, { sessionId }: { readonly sessionId?: string } = {}): Access {
  const known = ofMembers.get(member);
  if (known !== undefined && known.sessionId === sessionId) return known;
  const made = person(member, sessionId);
  ofMembers.set(member, made);
  return made;
}

export function accessOfSession(session: SessionEntry): Access {
  return accessOfMember(session.member, { sessionId: session.id });
}

/** The claims of a verified token, resolved to ids. */
export interface TokenClaims {
  readonly organisationId: string;
  /** Id of the workspace; tokens act in one. */
  readonly workspaceId: string;
  /** Without any vendor's prefix; those that a token may not claim are dropped. */
  readonly scopes: readonly string[];
  readonly userId?: string;
}

/** A token behaves as a key of its workspace, and never reaches the organisation. */
export function accessOfToken(claims: TokenClaims): Access {
  const scopes = granted(claims.scopes, tokenScopes);
  return {
    organisationId: claims.organisationId,
    workspaceId: claims.workspaceId,
    keyId: undefined,
    keyType: undefined,
    sessionId: undefined,
    userId: claims.userId,
    organisationRole: undefined,
    roleIn: noRole,
    scopesIn: within(claims.workspaceId, () => scopes),
  };
}

const ofKeys = new WeakMap<KeyEntry, Access>();
const ofMembers = new WeakMap<MemberEntry, Access>();
const noRole = () => undefined;

function granted(scopes: readonly string[], allowed: ReadonlySet<string>): ReadonlySet<string> {
  return withTwins(scopes.filter((scope) => allowed.has(scope)));
}

function organisationKey(entry: KeyEntry): Access {
  const scopes = granted(entry.scopes, scopesOfKeyType(entry.type));
  return {
    organisationId: entry.organisationId,
    workspaceId: undefined,
    keyId: entry.id,
    keyType: entry.type,
    sessionId: undefined,
    userId: undefined,
    organisationRole: undefined,
    roleIn: noRole,
    // In each of its workspaces: that a workspace is of this organisation, the tenancy of the look-up decides.
    scopesIn: () => scopes,
  };
}

function workspaceKey(entry: KeyEntry): Access {
  const { workspaceId, member, rank } = entry;
  const own = granted(entry.scopes, scopesOfKeyType(entry.type));
  const live = (): ReadonlySet<string> => {
    if (entry.type === 'workspace-service') return own;
    if (member === undefined || workspaceId === undefined) return nothing;
    const role = scopesOfMemberIn(member, workspaceId);
    return new Set([...own].filter((scope) => role.has(scope)));
  };
  return {
    organisationId: entry.organisationId,
    workspaceId,
    keyId: entry.id,
    keyType: entry.type,
    sessionId: undefined,
    userId: entry.userId,
    organisationRole: member?.role,
    roleIn: (id): WorkspaceRole | undefined => {
      if (id !== workspaceId) return undefined;
      return member === undefined ? rank : workspaceRoleOf(member, id);
    },
    scopesIn: within(workspaceId, live),
  };
}

/** Of the organisation itself, what is bound to a workspace sees what it offers, and nothing that could change it. */
const outward = /^(organisation_\w+\.list|workspaces\.(list|read))$/;

/** The set in one workspace, worked out at the first question; in any other there is none. */
function within(home: string | undefined, of: () => ReadonlySet<string>): Access['scopesIn'] {
  let here: ReadonlySet<string> | undefined;
  let above: ReadonlySet<string> | undefined;
  return (workspaceId) => {
    if (home === undefined) return nothing;
    if (workspaceId === home) {
      here ??= of();
      return here;
    }
    if (workspaceId !== undefined) return nothing;
    above ??= new Set([...of()].filter((scope) => outward.test(scope)));
    return above;
  };
}

function person(member: MemberEntry, sessionId: string | undefined): Access {
  const inWorkspaces = new Map<string, ReadonlySet<string>>();
  let inOrganisation: ReadonlySet<string> | undefined;
  let elsewhere: ReadonlySet<string> | undefined;
  const known = new Set(member.workspaces.map(({ id }) => id));
  return {
    organisationId: member.organisationId,
    workspaceId: undefined,
    keyId: undefined,
    keyType: undefined,
    sessionId,
    userId: member.userId,
    organisationRole: member.role,
    roleIn: (workspaceId) => workspaceRoleOf(member, workspaceId),
    scopesIn: (workspaceId) => {
      if (workspaceId === undefined) {
        inOrganisation ??= withTwins(scopesOfOrganisationRole(member.role, member.security));
        return inOrganisation;
      }
      // Ids that come with requests are not remembered one by one: there is no end of them.
      if (!known.has(workspaceId)) {
        if (!isOrganisationAdmin(member.role)) return nothing;
        elsewhere ??= withTwins(scopesOfMemberIn(member, workspaceId));
        return elsewhere;
      }
      const remembered = inWorkspaces.get(workspaceId) ?? withTwins(scopesOfMemberIn(member, workspaceId));
      inWorkspaces.set(workspaceId, remembered);
      return remembered;
    },
  };
}
