import { GatewayError, type JsonObject, type Operation, type Values } from 'portcullis/sdk';
import { maskedSecret } from './key-format.ts';
import type { KeyRecord } from './record.ts';
import { nextRotation } from './rotation-policy.ts';
import { addSecret, makeSecret, type SecretMaker, secretRows } from './secrets.ts';

export interface Rotated {
  readonly secret: string;
  /** Until then the old secret works too. Epoch milliseconds. */
  readonly transitionEndsAt: number;
  /** What the audit log says of it. */
  readonly detail: JsonObject;
}

/**
 * Gives the key a new secret; the old one works until the end of the transition. Two secrets are alive at most.
 * @throws GatewayError `conflict` while an earlier secret is still in transition
 */
export async function rotate(
  operation: Operation,
  maker: SecretMaker,
  key: KeyRecord,
  how: { readonly mode: 'manual' | 'auto'; readonly transitionMs: number },
): Promise<Rotated> {
  const { now } = operation;
  const transitionEndsAt = now + how.transitionMs;
  await retire(operation, key, transitionEndsAt);
  const secret = makeSecret(operation, maker);
  // Nobody is there to be shown what the clock has made: it is kept, sealed, until someone fetches it.
  await addSecret(operation, key.id, secret, how.mode === 'auto');
  const scope = { organisationId: key.organisation_id };
  await operation.records<KeyRecord>('api_keys').update(scope, key.id, {
    key: maskedSecret(secret),
    ...(how.mode === 'auto' ? scheduled(key, now) : {}),
  });
  const detail: JsonObject = {
    api_key_id: key.id,
    rotation_mode: how.mode,
    old_key_masked: key.key,
    transition_expires_at: operation.time(transitionEndsAt),
  };
  return { secret, transitionEndsAt, detail };
}

async function retire(operation: Operation, key: KeyRecord, endsAt: number): Promise<void> {
  const { db, now } = operation;
  // One whose time is over is dead, whether or not the job has cleared it away.
  await secretRows(db).where({ api_key_id: key.id, state: 'transition' }).where('expires_at', '<=', now).delete();
  const live = await secretRows(db).where('api_key_id', key.id);
  const current = live.find(({ state }) => state === 'current');
  const retired =
    live.length === 1 && current !== undefined
      ? await secretRows(db)
          .where({ id: current.id, state: 'current' })
          .update({ state: 'transition', expires_at: endsAt, warned_at: null, sealed: null })
      : 0;
  // Zero as well when someone else has just rotated this one.
  if (Number(retired) === 1) return;
  throw new GatewayError(
    'conflict',
    'The key has been rotated already, and its earlier secret still works: rotate again when the transition is over.',
  );
}

/** When the next rotation is; after the only one there is no policy left. */
function scheduled(key: KeyRecord, now: number): Values {
  const next = key.rotation === null ? undefined : nextRotation(key.rotation, now, key.next_rotation_at ?? undefined);
  return next === undefined ? { rotation: null, next_rotation_at: null } : { next_rotation_at: next };
}
