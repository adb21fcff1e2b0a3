import { asNumber, asString, GatewayError, type JsonObject } from 'portcullis/sdk';

export const leastTransitionMs = 1_800_000;
const dayMs = 86_400_000;
const mostTransitionMs = 365 * dayMs;

/** How often a key gets a new secret, and how long the old one still works. Neither period: once. */
export type RotationCadence = {
  readonly rotation_period: 'weekly' | 'monthly' | null;
  /** 1 to 365. */
  readonly rotation_period_days: number | null;
  readonly key_transition_period_ms: number;
};

export interface Rotation {
  readonly rotation: RotationCadence;
  /** Epoch milliseconds, a midnight of UTC. */
  readonly next_rotation_at: number;
}

export interface PolicyPlace {
  readonly now: number;
  /** Days between rotations that the settings enforce. */
  readonly enforcedDays?: number | undefined;
  /** What the key has. */
  readonly current?: Rotation | undefined;
}

/**
 * The policy that a body asks for.
 * @param given `rotation_policy` of the body, its `next_rotation_at` in epoch milliseconds; null removes it
 * @throws GatewayError `bad_request` when the periods exclude each other, the moment is past, the transition is not
 * shorter than the period, or the settings enforce another cadence
 */
export function rotationOf(given: JsonObject | null | undefined, place: PolicyPlace): Rotation | undefined {
  if (place.enforcedDays !== undefined) return enforcedRotation(given, place.enforcedDays, place);
  if (given === undefined) return place.current;
  return given === null ? undefined : chosenRotation(given, place);
}

function chosenRotation(given: JsonObject, { now, current }: PolicyPlace): Rotation {
  const period = periodOf(given);
  const days = asNumber(given.rotation_period_days) ?? null;
  if (period !== null && days !== null) {
    refuse('rotation_period_days', 'the two periods, in words and in days, exclude each other: give one of the two');
  }
  const kept = period === null && days === null ? current?.rotation : undefined;
  const rotation: RotationCadence = {
    rotation_period: period ?? kept?.rotation_period ?? null,
    rotation_period_days: days ?? kept?.rotation_period_days ?? null,
    key_transition_period_ms: transitionOf(given, current?.rotation.key_transition_period_ms),
  };
  checkTransition(rotation.key_transition_period_ms, rotation, 'rotation_policy.key_transition_period_ms');
  const moment = asNumber(given.next_rotation_at);
  // Clients send back what they have read: the moment that the key has may have come meanwhile.
  if (moment !== undefined && moment === current?.next_rotation_at) return { rotation, next_rotation_at: moment };
  if (moment !== undefined) return { rotation, next_rotation_at: futureMidnight(moment, now) };
  const next = kept === undefined ? nextRotation(rotation, now) : current?.next_rotation_at;
  if (next !== undefined) return { rotation, next_rotation_at: next };
  return refuse(
    'rotation_period',
    'the policy needs one of rotation_period (weekly, monthly), rotation_period_days (1 to 365) and next_rotation_at',
  );
}

function enforcedRotation(given: JsonObject | null | undefined, days: number, { now, current }: PolicyPlace): Rotation {
  const enforced = `the settings enforce a rotation every ${days} days`;
  if (given === null) refuse('', `${enforced}; the policy cannot be removed`);
  const moment = asNumber(given?.next_rotation_at);
  // What clients send back as they have read it overrides nothing.
  if (moment !== undefined && moment !== current?.next_rotation_at) {
    refuse('next_rotation_at', `${enforced}; next_rotation_at cannot be set`);
  }
  const asked =
    given === undefined ? undefined : (asNumber(given.rotation_period_days) ?? namedDays[periodOf(given) ?? '']);
  if (asked !== undefined && asked !== days)
    refuse('rotation_period_days', `${enforced}; another cadence is not accepted`);
  const rotation: RotationCadence = {
    rotation_period: null,
    rotation_period_days: days,
    key_transition_period_ms:
      given === undefined
        ? (current?.rotation.key_transition_period_ms ?? leastTransitionMs)
        : transitionOf(given, current?.rotation.key_transition_period_ms),
  };
  checkTransition(rotation.key_transition_period_ms, rotation, 'rotation_policy.key_transition_period_ms');
  const same = current !== undefined && daysOf(current.rotation) === days;
  return { rotation, next_rotation_at: same ? current.next_rotation_at : midnightOf(now) + days * dayMs };
}

/** What the settings count a named period as. */
const namedDays: Readonly<Record<string, number | undefined>> = { weekly: 7, monthly: 30 };

function daysOf(rotation: RotationCadence): number | undefined {
  return rotation.rotation_period_days ?? namedDays[rotation.rotation_period ?? ''];
}

/** How long every period of the cadence lasts at least. */
const shortestMs = { weekly: 7 * dayMs, monthly: 28 * dayMs } as const;

/** @throws GatewayError `bad_request` when the old secret would outlive the next rotation, or the bounds are left */
export function checkTransition(ms: number, rotation: RotationCadence | null, param: string): void {
  const period = rotation?.rotation_period ?? null;
  const days = rotation?.rotation_period_days ?? null;
  const lasts = period === null ? (days === null ? undefined : days * dayMs) : shortestMs[period];
  if (ms < leastTransitionMs || ms > mostTransitionMs) {
    refuseAt(param, `must be ${leastTransitionMs} (30 minutes) to ${mostTransitionMs} milliseconds`);
  }
  if (lasts !== undefined && ms >= lasts) refuseAt(param, `must be shorter than the rotation period of ${lasts} ms`);
}

/**
 * The first rotation after the moment: Monday, or the first of the month, or so many days after the last one, at
 * 00:00 UTC. Undefined: none.
 * @param last the rotation that has just been made
 */
export function nextRotation(rotation: RotationCadence, now: number, last = midnightOf(now)): number | undefined {
  if (rotation.rotation_period === 'weekly') {
    const today = midnightOf(now);
    return today + (7 - ((new Date(today).getUTCDay() + 6) % 7)) * dayMs;
  }
  if (rotation.rotation_period === 'monthly') {
    const date = new Date(now);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  }
  if (rotation.rotation_period_days === null) return undefined;
  const step = rotation.rotation_period_days * dayMs;
  // Runs that a stopped gateway has missed are made up for once, not one by one.
  return last + step * Math.max(1, Math.floor((now - last) / step) + 1);
}

function midnightOf(ms: number): number {
  return Math.floor(ms / dayMs) * dayMs;
}

function futureMidnight(ms: number, now: number): number {
  const midnight = midnightOf(ms);
  if (midnight > now) return midnight;
  return refuse('next_rotation_at', 'the next rotation must be on a day in the future; it counts from 00:00 UTC');
}

function periodOf(given: JsonObject): 'weekly' | 'monthly' | null {
  const period = asString(given.rotation_period);
  return period === 'weekly' || period === 'monthly' ? period : null;
}

function transitionOf(given: JsonObject, current: number | undefined): number {
  return asNumber(given.key_transition_period_ms) ?? current ?? leastTransitionMs;
}

function refuse(field: string, why: string): never {
  const param = field === '' ? 'rotation_policy' : `rotation_policy.${field}`;
  throw new GatewayError('bad_request', `${why[0]?.toUpperCase()}${why.slice(1)}.`, { param });
}

function refuseAt(param: string, why: string): never {
  throw new GatewayError('bad_request', `${param} ${why}.`, { param });
}
