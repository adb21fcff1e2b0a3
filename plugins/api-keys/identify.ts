import { hash } from 'node:crypto';
import {
  accessOfKey,
  GatewayError,
  type Host,
  type KeyEntry,
  type MaybePromise,
  type Principal,
  type UnidentifiedRequest,
} from 'portcullis/sdk';
import { hasShape, isIssued } from './key-format.ts';

/** Where SDKs put their key, in the order in which it is looked for when the gateway's own header is absent. */
const credentialHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const;

/** Digests whose checksum has fitted: keys of this deployment alone, so no flood of others fills it. */
const mostFitting = 10_000;
/** Digests whose checksum has not: keys of the operator's file come again and again, a flood is forgotten at once. */
const mostForeign = 1_000;

/**
 * Knows callers by the keys of the control plane. What this deployment has not issued is the next plugin's, without any
 * look-up: keys of the operator's file, tokens and providers' keys come in the same headers.
 */
export function keyIdentifier(host: Pick<Host, 'controlled' | 'checksum' | 'directory' | 'now'>) {
  const checksum = (text: string) => host.checksum(text);
  const fitting = new Set<string>();
  const foreign = new Set<string>();
  /** SHA-256 of the text if this deployment has issued it. */
  const issued = (text: string): string | undefined => {
    if (!hasShape(text)) return undefined;
    const sha256 = hash('sha256', text, 'hex');
    // The checksum costs several times the hash, and a key comes again and again.
    if (fitting.has(sha256)) return sha256;
    if (foreign.has(sha256)) return undefined;
    const fits = isIssued(text, checksum);
    // A key that cannot be checked yet must not be called unknown: its owner would throw it away.
    if (fits === undefined) {
      throw new GatewayError('not_ready', 'The gateway does not know its keys yet. Try again in a moment.');
    }
    if (!fits) {
      if (foreign.size >= mostForeign) foreign.clear();
      foreign.add(sha256);
      return undefined;
    }
    if (fitting.size >= mostFitting) fitting.clear();
    fitting.add(sha256);
    return sha256;
  };
  const look = (sha256: string, header: string | undefined): MaybePromise<Principal | undefined> => {
    const entry = host.directory('key', sha256);
    return entry instanceof Promise
      ? entry.then((loaded) => admitted(loaded, header, host.now()))
      : admitted(entry, header, host.now());
  };
  return (request: UnidentifiedRequest): MaybePromise<Principal | undefined> => {
    if (!host.controlled) return undefined;
    const own = request.control('api-key');
    if (own !== undefined) {
      const sha256 = issued(own);
      return sha256 === undefined ? undefined : look(sha256, undefined);
    }
    for (const header of credentialHeaders) {
      const value = request.headers[header];
      const sha256 = value === undefined ? undefined : issued(bare(value));
      if (sha256 !== undefined) return look(sha256, header);
    }
    return undefined;
  };
}

function bare(value: string): string {
  return value.startsWith('Bearer ') ? value.slice(7) : value.replace(/^bearer\s+/i, '');
}

/** @throws GatewayError for a key that is known and may not be used */
function admitted(entry: KeyEntry | undefined, header: string | undefined, now: number): Principal | undefined {
  // Revoked, or a session's token, which has the same form.
  if (entry === undefined) return undefined;
  if (entry.status === 'expired' || (entry.expiresAt !== undefined && entry.expiresAt <= now)) {
    throw new GatewayError('key_expired', `The API key "${entry.name}" has expired.`);
  }
  if (entry.status === 'exhausted') {
    throw new GatewayError('budget_exhausted', `The usage limit of the API key "${entry.name}" is used up.`);
  }
  const { direct, byHeader } = principalsOf(entry);
  if (direct === undefined) {
    throw new GatewayError('unauthenticated', 'The person whose API key this is has left the workspace.');
  }
  if (header === undefined) return direct;
  const known = byHeader.get(header);
  if (known !== undefined) return known;
  const principal = Object.freeze({ ...direct, consumed: header });
  byHeader.set(header, principal);
  return principal;
}

interface Principals {
  /** Undefined: the key's owner is gone. */
  readonly direct: Principal | undefined;
  readonly byHeader: Map<string, Principal>;
}

/** By the directory's entry, which stays the same object until it changes: a known caller costs no new object. */
const remembered = new WeakMap<KeyEntry, Principals>();

function principalsOf(entry: KeyEntry): Principals {
  const known = remembered.get(entry);
  if (known !== undefined) return known;
  const made = { direct: principalOf(entry), byHeader: new Map<string, Principal>() };
  remembered.set(entry, made);
  return made;
}

function principalOf(entry: KeyEntry): Principal | undefined {
  const access = accessOfKey(entry);
  const { workspaceId } = entry;
  const isOrphan =
    entry.type === 'workspace-user' && (workspaceId === undefined || access.roleIn(workspaceId) === undefined);
  if (isOrphan) return undefined;
  return Object.freeze({
    id: entry.id,
    kind: 'key' as const,
    name: entry.name,
    access,
    allowConfigOverride: entry.allowConfigOverride,
    ...(entry.config === undefined ? {} : { config: entry.config }),
    ...(entry.metadata === undefined ? {} : { metadata: entry.metadata }),
    ...(entry.guardrails === undefined ? {} : { guardrails: entry.guardrails }),
    ...limitsOf(entry),
  });
}

/** Counted by whoever enforces limits; an entry stays the same object, and so do these. */
function limitsOf({ id, usageLimits, rateLimits }: KeyEntry): Pick<Principal, 'limits'> {
  if (usageLimits === undefined && rateLimits === undefined) return {};
  return {
    limits: {
      key: id,
      ...(usageLimits === undefined ? {} : { usageLimits }),
      ...(rateLimits === undefined ? {} : { rateLimits }),
    },
  };
}
