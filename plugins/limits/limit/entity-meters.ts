import type { Principal, ProviderEntry, WorkspaceEntry } from 'portcullis/sdk';
import type { Meter } from './meter.ts';
import { metersOf } from './meters.ts';

/** What belongs to one provider: the limits of the integration's grant, then its own. */
type Limits = NonNullable<Principal['limits']>;

// Entries stay the same object until they change, so what follows from one is made once.
const ofWorkspaces = new WeakMap<WorkspaceEntry, readonly Meter[]>();
const ofProviders = new WeakMap<ProviderEntry, readonly Meter[]>();
const ofCallers = new WeakMap<Limits, readonly Meter[]>();

export function workspaceMeters(entry: WorkspaceEntry): readonly Meter[] {
  const known = ofWorkspaces.get(entry);
  if (known !== undefined) return known;
  const owner = { owner: 'workspace', id: entry.id, whose: `the workspace "${entry.slug}"` } as const;
  const made = metersOf(owner, entry.rateLimits, entry.usageLimits);
  ofWorkspaces.set(entry, made);
  return made;
}

/** Of the integration's grant to the workspace, then of the provider itself. */
export function providerMeters(entry: ProviderEntry): readonly Meter[] {
  const known = ofProviders.get(entry);
  if (known !== undefined) return known;
  const grant = {
    owner: 'grant',
    id: `${entry.integrationId}.${entry.workspaceId}`,
    whose: `the integration "${entry.integrationSlug}" in this workspace`,
  } as const;
  const own = { owner: 'provider', id: entry.id, whose: `the provider "${entry.slug}"` } as const;
  const made = [
    ...metersOf(grant, entry.grantRateLimits, entry.grantUsageLimits),
    ...metersOf(own, entry.rateLimits, entry.usageLimits),
  ];
  ofProviders.set(entry, made);
  return made;
}

/** Of a key or a token. */
export function callerMeters({ kind, name }: Principal, limits: Limits): readonly Meter[] {
  const known = ofCallers.get(limits);
  if (known !== undefined) return known;
  const owner =
    kind === 'key'
      ? ({ owner: 'key', id: limits.key, whose: `the API key "${name ?? limits.key}"` } as const)
      : ({
          owner: 'token',
          id: limits.key,
          whose: name === undefined ? 'the token' : `the token of "${name}"`,
        } as const);
  const made = metersOf(owner, limits.rateLimits, limits.usageLimits);
  ofCallers.set(limits, made);
  return made;
}
