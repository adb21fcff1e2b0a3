import type { Operation, Scope, Values } from 'portcullis/sdk';
import { maskedSecret } from './key-format.ts';
import type { KeyRecord } from './record.ts';
import { addSecret, makeSecret, type SecretMaker } from './secrets.ts';

export interface Minted {
  readonly record: KeyRecord;
  /** In clear: for the one reply that shows it. */
  readonly secret: string;
}

/**
 * Stores a key with its first secret. Whether its maker may make such a key has been decided before.
 * @param how.keep whether its owner can fetch the secret later, once
 */
export async function mint(
  operation: Operation,
  maker: SecretMaker,
  scope: Scope,
  values: Values,
  how: { readonly keep: boolean },
): Promise<Minted> {
  const secret = makeSecret(operation, maker);
  const record = await operation
    .records<KeyRecord>('api_keys')
    .create(scope, { ...blank, ...values, key: maskedSecret(secret) });
  await addSecret(operation, record.id, secret, how.keep);
  return { record, secret };
}

const blank: Values = {
  description: null,
  user_id: null,
  config_id: null,
  metadata: null,
  allow_config_override: null,
  alert_emails: null,
  usage_limits: [],
  rate_limits: [],
  expires_at: null,
  expiry_enforced: 0,
  last_reset_at: null,
  creation_mode: 'api',
  rotation: null,
  next_rotation_at: null,
  rotation_warned_for: null,
};
