import {
  asArray,
  asObject,
  asString,
  type JsonObject,
  keptReset,
  liftsUsageLimit,
  normaliseRateLimits,
  normaliseUsageLimits,
  type Operation,
  type Values,
} from 'portcullis/sdk';
import { defaultsFrom } from './defaults.ts';
import { expiryFrom } from './expiry.ts';
import { narrowedScopes } from './narrowing.ts';
import { isPersonal, type Place } from './place.ts';
import { rankAfter } from './rank.ts';
import type { KeyRecord } from './record.ts';
import { type Rotation, type RotationCadence, rotationOf } from './rotation-policy.ts';

/** What is stored of a body that creates, beside whose the key is. */
export async function valuesOfNew(operation: Operation, body: JsonObject, place: Place): Promise<Values> {
  const limits = limitsFrom(body);
  return {
    name: body.name,
    description: body.description ?? null,
    alert_emails: body.alert_emails ?? null,
    scopes: narrowedScopes(scopesIn(body), {
      access: operation.access,
      type: place.type,
      workspaceId: place.workspace?.id,
    }),
    ...limits,
    ...keptReset({ created_at: operation.now }, [], limits.usage_limits ?? [], operation.now),
    ...(await defaultsFrom(operation, body, place, true)),
    ...expiryFrom(body.expires_at, place, { now: operation.now }),
    ...rotationFrom(body, place, operation.now),
  };
}

/** What a body changes in a key. */
export async function valuesOfChange(
  operation: Operation,
  key: KeyRecord,
  body: JsonObject,
  place: Place,
): Promise<Values> {
  const limits = limitsFrom(body);
  return {
    ...(body.scopes === undefined ? {} : changedScopes(operation, key, body)),
    ...limits,
    ...(await defaultsFrom(operation, body, place, false)),
    ...expiryFrom(body.expires_at, place, { now: operation.now, createdAt: key.created_at }),
    ...rotationFrom(body, place, operation.now, key),
    ...reactivation(key, body, limits, operation.now),
  };
}

function changedScopes({ access }: Operation, key: KeyRecord, body: JsonObject): Values {
  const scopes = narrowedScopes(scopesIn(body), {
    access,
    type: key.type,
    workspaceId: key.workspace_id ?? undefined,
    kept: key.scopes,
  });
  return { scopes, ...(key.type === 'workspace-service' ? { rank: rankAfter(access, key, scopes) } : {}) };
}

function scopesIn(body: JsonObject): readonly string[] {
  return asArray(body.scopes).flatMap((scope) => asString(scope) ?? []);
}

function limitsFrom(body: JsonObject): Partial<Pick<KeyRecord, 'usage_limits' | 'rate_limits'>> {
  return {
    ...(body.usage_limits === undefined
      ? {}
      : { usage_limits: normaliseUsageLimits(body.usage_limits, 'usage_limits') }),
    ...(body.rate_limits === undefined ? {} : { rate_limits: normaliseRateLimits(body.rate_limits, 'rate_limits') }),
  };
}

/** What was used up works again when its use is set back, or more is allowed. */
function reactivation(key: KeyRecord, body: JsonObject, limits: ReturnType<typeof limitsFrom>, now: number): Values {
  if (body.reset_usage === true) return { status: 'active', last_reset_at: now };
  if (limits.usage_limits === undefined) return {};
  const lifted = liftsUsageLimit(key.usage_limits, limits.usage_limits);
  return {
    ...(key.status === 'exhausted' && lifted ? { status: 'active' } : {}),
    ...keptReset(key, key.usage_limits, limits.usage_limits, now),
  };
}

/** The rotation of a key, stored in two parts: the cadence, and a column that is searched for what is due. */
export function rotationFrom(body: JsonObject, place: Place, now: number, key?: KeyRecord): Values {
  const given = body.rotation_policy === null ? null : asObject(body.rotation_policy);
  const current = key === undefined ? undefined : currentRotation(key);
  const next = rotationOf(given, {
    now,
    current,
    enforcedDays: isPersonal(place.type) ? place.settings.userApiKeyRotationPeriod : undefined,
  });
  if (JSON.stringify(next) === JSON.stringify(current)) return {};
  if (next === undefined) return { rotation: null, next_rotation_at: null };
  return { rotation: next.rotation, next_rotation_at: next.next_rotation_at };
}

export function currentRotation({ rotation, next_rotation_at: next }: KeyRecord): Rotation | undefined {
  return rotation === null || next === null
    ? undefined
    : { rotation: rotation as RotationCadence, next_rotation_at: next };
}
