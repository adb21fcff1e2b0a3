import { type DirectoryLoader, enforcedBudget, guardrailsOf, type KeyEntry, type MemberEntry } from 'portcullis/sdk';
import { type KeyRecord, statusOf } from './record.ts';
import { secretRows } from './secrets.ts';

/**
 * The live key behind a secret's SHA-256. The table is searched by the peppered digest of the whole secret, with
 * equality: nothing compares secrets byte by byte, and how long the search takes tells of a digest that nobody outside
 * can compute. A secret whose time is over is no entry, nor is a key of an archived workspace.
 */
export const loadKey: DirectoryLoader<'key'> = async (reader, [sha256 = '']) => {
  const secret = await secretRows(reader.db).where('digest', reader.pepper(sha256)).first();
  if (secret === undefined || (secret.expires_at !== null && secret.expires_at <= reader.now)) return undefined;
  const scope = { organisationId: secret.organisation_id };
  const key = await reader.records<KeyRecord>('api_keys').find(scope, secret.api_key_id);
  if (key === undefined) return undefined;
  if (key.workspace_id !== null) {
    const workspace = await reader.load('workspace', key.organisation_id, key.workspace_id);
    if (workspace === undefined || workspace.status === 'archived') return undefined;
  }
  const member = key.user_id === null ? undefined : await reader.load('member', key.organisation_id, key.user_id);
  return entryOf(key, { member, endsAt: secret.expires_at, now: reader.now });
};

interface Live {
  readonly member: MemberEntry | undefined;
  /** Of a secret in transition. */
  readonly endsAt: number | null;
  readonly now: number;
}

function entryOf(key: KeyRecord, { member, endsAt, now }: Live): KeyEntry {
  // What is remembered of a secret in transition must end with it, to the millisecond.
  const ends = [key.expires_at, endsAt].filter((moment) => moment !== null);
  const budget = key.usage_limits[0];
  return {
    organisationId: key.organisation_id,
    id: key.id,
    name: key.name,
    type: key.type,
    scopes: key.scopes,
    status: statusOf(key, now),
    // Without a config there is nothing to override.
    allowConfigOverride: key.config_id === null || key.allow_config_override !== 0,
    ...(key.workspace_id === null ? {} : { workspaceId: key.workspace_id }),
    ...(key.rank == null ? {} : { rank: key.rank }),
    ...(key.user_id === null ? {} : { userId: key.user_id }),
    ...(ends.length === 0 ? {} : { expiresAt: Math.min(...ends) }),
    ...(key.config_id === null ? {} : { config: key.config_id }),
    ...(key.metadata === null ? {} : { metadata: key.metadata }),
    ...guardrailsOf(key),
    ...(budget === undefined ? {} : { usageLimits: enforcedBudget(budget, key) }),
    ...(key.rate_limits.length === 0 ? {} : { rateLimits: key.rate_limits }),
    ...(member === undefined ? {} : { member }),
  };
}
