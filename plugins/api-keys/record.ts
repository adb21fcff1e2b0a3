import type { KeyType, RateLimits, StoredRecord, UsageLimits, WorkspaceRole } from 'portcullis/sdk';
import type { RotationCadence } from './rotation-policy.ts';

/** A key as it is stored; its secrets stand in a table of their own. */
export interface KeyRecord extends StoredRecord {
  readonly name: string;
  readonly description: string | null;
  readonly type: KeyType;
  readonly user_id: string | null;
  readonly scopes: readonly string[];
  /** Masked form of the newest secret. */
  readonly key: string;
  readonly config_id: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Ids; absent where nobody has named any. */
  readonly input_guardrails?: readonly string[];
  readonly output_guardrails?: readonly string[];
  /** Null: nobody has said; then a request may bring its own. */
  readonly allow_config_override: 0 | 1 | null;
  readonly alert_emails: readonly string[] | null;
  readonly usage_limits: readonly UsageLimits[];
  readonly rate_limits: readonly RateLimits[];
  readonly expires_at: number | null;
  /** Whether the settings ask for an end of its life. */
  readonly expiry_enforced: 0 | 1;
  readonly last_reset_at: number | null;
  /** Of a service's key: the role of a maker who was no admin. */
  readonly rank?: WorkspaceRole | null;
  readonly creation_mode: 'ui' | 'api' | 'auto';
  readonly rotation: RotationCadence | null;
  readonly next_rotation_at: number | null;
  /** The rotation that people have been told of. */
  readonly rotation_warned_for: number | null;
}

export type KeyStatus = 'active' | 'exhausted' | 'expired';

/** The status as of now: the clock needs no job to end a key. */
export function statusOf(key: KeyRecord, now: number): KeyStatus {
  if (key.expires_at !== null && key.expires_at <= now) return 'expired';
  return key.status === 'exhausted' ? 'exhausted' : 'active';
}
