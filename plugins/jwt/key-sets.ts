import { LRUCache } from 'lru-cache';
import { asObject, GatewayError, type Host, type OrganisationEntry, parseJson } from 'portcullis/sdk';
import { type KeySet, keySetOf, type VerifyingKey } from './keys.ts';
import { forbid } from './refuse.ts';

/** A set is read again after this long, while the old one still serves. */
const freshMs = 600_000;
/** A set that could not be read again serves for this long. */
const longestMs = 86_400_000;
/** An unknown key id, or a fault, makes it be read again, but no more often than this. */
const againMs = 30_000;
const mostOrganisations = 1000;
const mostBytes = 262_144;
const fetchMs = 5_000;

interface Held {
  /** The settings that it was read for: others have it read again. */
  readonly organisation: OrganisationEntry;
  readonly keys: KeySet | undefined;
  readonly readAt: number;
  readonly triedAt: number;
}

export interface KeySets {
  /**
   * The key of this id, read anew where that may help.
   * @throws GatewayError `forbidden` without a usable key set, `not_ready` when it cannot be read now
   */
  find(organisation: OrganisationEntry, kid: string): Promise<VerifyingKey | undefined>;
  /** The key as it is known now, without waiting. */
  known(organisation: OrganisationEntry, kid: string): VerifyingKey | undefined;
}

/** The signing keys of organisations: given with their settings, or at a URL of theirs. */
export function keySets(host: Pick<Host, 'fetch' | 'log' | 'now'>): KeySets {
  const held = new LRUCache<string, Held>({ max: mostOrganisations });
  const running = new Map<string, Promise<Held>>();

  const read = async (organisation: OrganisationEntry): Promise<Held> => {
    const { jwks, jwksUrl, id } = organisation;
    const name = nameOf(organisation);
    const before = held.get(name);
    const now = host.now();
    let next: Held;
    try {
      const set = jwks ?? (await fetched(host, jwksUrl ?? ''));
      next = { organisation, keys: await keySetOf(set, before?.keys), readAt: now, triedAt: now };
    } catch (error) {
      host.log.warn('jwks_unreadable', {
        organisation: id,
        reason: error instanceof Error ? error.message : 'unknown',
      });
      // A set that stands in the settings is wrong for good; one at a URL may only be out of reach.
      const last = jwks === undefined && before !== undefined ? before : undefined;
      next = { organisation, keys: last?.keys, readAt: last?.readAt ?? 0, triedAt: now };
    }
    held.set(name, next);
    return next;
  };

  const refresh = (organisation: OrganisationEntry): Promise<Held> => {
    const name = nameOf(organisation);
    const already = running.get(name);
    if (already !== undefined) return already;
    const reading = read(organisation).finally(() => running.delete(name));
    running.set(name, reading);
    return reading;
  };

  /** What serves for these settings, if anything does. */
  const serving = (organisation: OrganisationEntry): Held | undefined => {
    const now = host.now();
    const set = held.get(nameOf(organisation));
    if (set === undefined || set.organisation !== organisation) return undefined;
    if (organisation.jwks !== undefined) return set;
    if (now - set.readAt > freshMs && now - set.triedAt > againMs) void refresh(organisation);
    return now - set.readAt > longestMs ? { ...set, keys: undefined } : set;
  };

  return {
    known: (organisation, kid) => serving(organisation)?.keys?.get(kid),
    find: async (organisation, kid) => {
      if (organisation.jwks === undefined && organisation.jwksUrl === undefined) {
        forbid('The organisation of the token has no key set (JWKS), so no token of it can be verified.');
      }
      let set = serving(organisation) ?? (await refresh(organisation));
      const missing = set.keys?.get(kid) === undefined;
      if (missing && organisation.jwks === undefined && host.now() - set.triedAt >= againMs)
        set = await refresh(organisation);
      if (set.keys === undefined) unusable(organisation);
      return set.keys?.get(kid);
    },
  };
}

function nameOf({ id, jwks, jwksUrl }: OrganisationEntry): string {
  return `${id} ${jwks === undefined ? jwksUrl : ''}`;
}

function unusable({ jwks }: OrganisationEntry): never {
  if (jwks !== undefined)
    forbid('The key set (JWKS) of the organisation cannot be used; the log of the gateway says why.');
  throw new GatewayError('not_ready', 'The signing keys of the organisation cannot be read now. Try again.');
}

async function fetched(host: Pick<Host, 'fetch'>, url: string) {
  const { status, body } = await host.fetch(url, {
    headers: { accept: 'application/json' },
    timeoutMs: fetchMs,
    maxBytes: mostBytes,
  });
  if (status !== 200) throw new TypeError(`its URL answered ${status}`);
  const set = asObject(parseJson(Buffer.from(body).toString('utf8')));
  if (set === undefined) throw new TypeError('its URL gave no JSON object');
  return set;
}
