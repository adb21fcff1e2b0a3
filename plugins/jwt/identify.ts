import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  type AuditEvent,
  accessOfToken,
  boundedQueue,
  GatewayError,
  type Host,
  type OrganisationEntry,
  type Principal,
  type WorkspaceEntry,
} from 'portcullis/sdk';
import type { Bearer } from './carrier.ts';
import { organisationOf, type TokenWishes, wishesOf } from './claims.ts';
import { keySets } from './key-sets.ts';
import type { VerifyingKey } from './keys.ts';
import { partsOf } from './parts.ts';
import { forbid, refuse } from './refuse.ts';
import type { JwtSettings } from './settings.ts';
import { verified } from './verify.ts';

const verifications = {
  running: 16,
  waiting: 512,
  full: 'Too many tokens wait to be verified. Try again in a second.',
  retryAfter: 1,
};

/** A verified token, with all that made it so: when one of these changes, it is verified again. */
interface Accepted {
  readonly organisation: OrganisationEntry;
  readonly workspace: WorkspaceEntry;
  /** What the workspace was looked up by: the directory keeps an object for each name. */
  readonly workspaceName: string;
  readonly key: VerifyingKey;
  readonly until: number;
  readonly principal: Principal;
}

interface Refused {
  readonly organisation: OrganisationEntry | undefined;
  readonly error: GatewayError;
  readonly until: number;
}

const mostAccepted = 20_000;
const mostRefused = 20_000;
/** By their sizes: of a number of entries, the library makes room for all of them at once. */
const sizeCalculation = () => 1;
/** A refusal holds this long: a token may become valid, and an organisation be created. */
const refusalMs = 5_000;

/** Who the bearer of a token is. Both memories are keyed by the SHA-256 of the whole token. */
export function identifier(host: Host, settings: JwtSettings): (bearer: Bearer) => Promise<Principal> {
  const sets = keySets(host);
  const bounded = boundedQueue(verifications);
  const accepted = new LRUCache<string, Accepted>({ maxSize: mostAccepted, sizeCalculation });
  const refused = new LRUCache<string, Refused>({ maxSize: mostRefused, sizeCalculation });
  const running = new Map<string, Promise<Accepted>>();

  const remembered = async (digest: string): Promise<Accepted | undefined> => {
    const known = accepted.get(digest);
    if (known === undefined || host.now() >= known.until) return undefined;
    const { organisation, workspace, workspaceName, key } = known;
    const same =
      (await host.directory('organisation', organisation.id)) === organisation &&
      (await host.directory('workspace', organisation.id, workspaceName)) === workspace &&
      sets.known(organisation, key.kid) === key;
    return same ? known : undefined;
  };

  const accept = async (token: string, digest: string): Promise<Accepted> => {
    let organisation: OrganisationEntry | undefined;
    const refusal = refused.get(digest);
    const holds = (of: OrganisationEntry | undefined) =>
      refusal !== undefined && refusal.organisation === of && host.now() < refusal.until;
    if (holds(undefined)) throw refusal?.error;
    try {
      const { kid, claims } = partsOf(token);
      organisation = await organisationFor(host, settings, organisationOf(claims));
      if (holds(organisation)) throw refusal?.error;
      const key = (await sets.find(organisation, kid)) ?? refuse('names a key that its organisation does not have');
      const { claims: proven, until } = await bounded(() => verified(token, key, host.now()));
      const wishes = wishesOf(proven);
      const workspaceName = wishes.workspace ?? organisation.defaultWorkspaceId ?? noWorkspace();
      const workspace = await host.directory('workspace', organisation.id, workspaceName);
      if (workspace?.status !== 'active') noWorkspace();
      const principal = principalOf(digest, settings, organisation, workspace, wishes);
      const entry = { organisation, workspace, workspaceName, key, until, principal };
      accepted.set(digest, entry);
      refused.delete(digest);
      return entry;
    } catch (error) {
      accepted.delete(digest);
      if (!GatewayError.is(error) || error.status >= 429) throw error;
      if (refusal?.error !== error) {
        refused.set(digest, { organisation, error, until: host.now() + refusalMs });
        host.log.warn('jwt_refused', { organisation: organisation?.id, reason: error.message });
        if (organisation !== undefined) host.report(refusalOf(organisation.id, error));
      }
      throw error;
    }
  };

  return async ({ token, consumed }) => {
    const digest = hash('sha256', token, 'hex');
    const known = await remembered(digest);
    if (known !== undefined) return placed(known.principal, consumed);
    const already = running.get(digest);
    const accepting = already ?? accept(token, digest).finally(() => running.delete(digest));
    if (already === undefined) running.set(digest, accepting);
    return placed((await accepting).principal, consumed);
  };
}

/** What the audit log is told: the reason, and nothing of the token. */
function refusalOf(organisationId: string, { message, status }: GatewayError): AuditEvent {
  return {
    organisationId,
    resourceType: 'tokens',
    action: 'token_refused',
    userType: 'user',
    status,
    detail: { reason: message },
  };
}

async function organisationFor(
  host: Host,
  { organisations }: JwtSettings,
  claimed: string | undefined,
): Promise<OrganisationEntry> {
  const id = claimed ?? (organisations.length === 1 ? organisations[0] : undefined) ?? refuse('names no organisation');
  if (organisations.length > 0 && !organisations.includes(id)) {
    forbid('The organisation of the token is not served by this gateway.');
  }
  return (await host.directory('organisation', id)) ?? refuse('is of an organisation that is not known here');
}

function noWorkspace(): never {
  forbid('The token is for a workspace that its organisation does not have, or that is archived.');
}

function principalOf(
  digest: string,
  { defaultScopes }: JwtSettings,
  organisation: OrganisationEntry,
  workspace: WorkspaceEntry,
  { scopes, userId, config, guardrails, metadata, usageLimits, rateLimits }: TokenWishes,
): Principal {
  const standard = config ?? workspace.defaults.config ?? organisation.defaults.config;
  const limited = usageLimits !== undefined || rateLimits.length > 0;
  return Object.freeze({
    id: `token:${digest.slice(0, 32)}`,
    kind: 'token',
    ...(userId === undefined ? {} : { name: userId }),
    metadata: { ...organisation.defaults.metadata, ...workspace.defaults.metadata, ...metadata },
    ...(standard === undefined ? {} : { config: standard }),
    ...(guardrails === undefined ? {} : { guardrails }),
    ...(limited ? { limits: { key: digest, ...(usageLimits === undefined ? {} : { usageLimits }), rateLimits } } : {}),
    access: accessOfToken({
      organisationId: organisation.id,
      workspaceId: workspace.id,
      scopes: scopes ?? defaultScopes,
      ...(userId === undefined ? {} : { userId }),
    }),
  });
}

function placed(principal: Principal, consumed: Bearer['consumed']): Principal {
  return consumed === undefined ? principal : { ...principal, consumed };
}
