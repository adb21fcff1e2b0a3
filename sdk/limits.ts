import { GatewayError } from './errors.ts';
import { nullable } from './fields.ts';
import { isoMoment } from './iso-moment.ts';
import { asObject } from './json.ts';
import { schema } from './schema.ts';

export const usageLimitTypes = ['cost', 'tokens', 'requests'] as const;
export const usageResets = ['weekly', 'monthly'] as const;
export const rateLimitTypes = ['requests', 'tokens'] as const;
/** The most that a count holds, in its unit: a double has it exactly, and what is added to it. */
export const mostCounted = 9_000_000_000_000_000;
/** Whole billionths of a dollar; tokens and requests are counted as they are. */
export const nanoPerUsd = 1_000_000_000;
/** The largest budget of each type that a count can reach. */
export const mostCredit = {
  cost: mostCounted / nanoPerUsd,
  tokens: mostCounted,
  requests: mostCounted,
} as const satisfies Readonly<Record<(typeof usageLimitTypes)[number], number>>;
/** Per second, minute, hour, day, week. */
export const rateLimitUnits = ['rps', 'rpm', 'rph', 'rpd', 'rpw'] as const;

/** A budget as it is stored and shown; every member is there. */
export type UsageLimits = {
  /** US dollars, tokens or requests; null: no limit, only the alert. */
  readonly credit_limit: number | null;
  readonly type: (typeof usageLimitTypes)[number];
  /** Below the limit. */
  readonly alert_threshold: number | null;
  /** Monday, or the first of the month, at 00:00 UTC. Never together with `periodic_reset_days`. */
  readonly periodic_reset: (typeof usageResets)[number] | null;
  readonly periodic_reset_days: number | null;
  /** ISO 8601, a midnight of UTC. */
  readonly next_usage_reset_at: string | null;
};

/** A rate limit as it is stored and shown; `value` 0: switched off. */
export type RateLimits = {
  readonly type: (typeof rateLimitTypes)[number];
  readonly unit: (typeof rateLimitUnits)[number];
  readonly value: number;
};

export interface LimitOptions {
  /** How many there may be. Default: 1 budget, any number of rate limits. */
  readonly max?: number;
}

const bounds = {
  credit_limit: [1, Number.MAX_SAFE_INTEGER],
  alert_threshold: [1, Number.MAX_SAFE_INTEGER],
  periodic_reset_days: [1, 365],
  value: [0, Number.MAX_SAFE_INTEGER],
} as const;

const whole = (name: keyof typeof bounds) => schema.Integer({ minimum: bounds[name][0], maximum: bounds[name][1] });
const choice = (values: readonly string[]) => schema.Unsafe<string>({ type: 'string', enum: [...values] });

const usageProperties = {
  credit_limit: nullable(whole('credit_limit')),
  type: nullable(choice(usageLimitTypes)),
  alert_threshold: nullable(whole('alert_threshold')),
  periodic_reset: nullable(choice(usageResets)),
  periodic_reset_days: nullable(whole('periodic_reset_days')),
  next_usage_reset_at: schema.Unsafe<string | number | null>({ type: ['string', 'integer', 'null'] }),
};
const rateProperties = { type: choice(rateLimitTypes), unit: choice(rateLimitUnits), value: whole('value') };

/** Schemas of the body fields `usage_limits` and `rate_limits`: one limit, a list, or null. Hooks normalise what they get. */
export const limitField = {
  usage: () =>
    oneOrList(
      usageProperties,
      'A budget, or a list of one. Null clears it, and so does one with neither a limit nor a threshold, such as {}.',
    ),
  rate: () => oneOrList(rateProperties, 'Rate limits, a list or a single one; a value of 0 is off; null clears them.'),
};

function oneOrList(properties: Readonly<Record<string, unknown>>, description: string) {
  return schema.Unsafe<unknown>({
    type: ['object', 'array', 'null'],
    properties,
    items: { type: 'object', properties },
    description,
  });
}

/**
 * The budgets of a body: from one object, a list of at most `max` (default 1), null or undefined, always a list.
 * Absent members become null, `type` becomes `cost`, `next_usage_reset_at` (ISO 8601 or Unix seconds) the start of its day in UTC.
 * One that says nothing at all, such as `{}`, is none. Show `list[0] ?? null` where the API has an object.
 * @throws GatewayError `bad_request` for: a limit, threshold or number of days that is no whole number from 1 (days to 365);
 * more than a count can reach; a threshold that is not below the limit; both kinds of reset; a reset without limit and threshold.
 */
export function normaliseUsageLimits(value: unknown, param: string, { max = 1 }: LimitOptions = {}): UsageLimits[] {
  return each(value, param, max).flatMap(({ limit, at }) => {
    const usage: UsageLimits = {
      credit_limit: number(limit.credit_limit, 'credit_limit', at),
      type: oneOf(limit.type, usageLimitTypes, `${at}.type`) ?? 'cost',
      alert_threshold: number(limit.alert_threshold, 'alert_threshold', at),
      periodic_reset: oneOf(limit.periodic_reset, usageResets, `${at}.periodic_reset`),
      periodic_reset_days: number(limit.periodic_reset_days, 'periodic_reset_days', at),
      next_usage_reset_at: midnight(limit.next_usage_reset_at, `${at}.next_usage_reset_at`),
    };
    checkTogether(usage, at);
    return usage.credit_limit === null && usage.alert_threshold === null ? [] : [usage];
  });
}

function checkTogether(usage: UsageLimits, at: string): void {
  const { credit_limit: limit, alert_threshold: threshold, periodic_reset: reset, periodic_reset_days: days } = usage;
  if (reset !== null && days !== null)
    refuse(`${at}.periodic_reset_days`, 'excludes periodic_reset: give one of the two');
  const most = mostCredit[usage.type];
  if (Math.max(limit ?? 0, threshold ?? 0) > most)
    refuse(
      `${at}.${limit === null ? 'alert_threshold' : 'credit_limit'}`,
      `must be at most ${most} for the type ${usage.type}`,
    );
  if (limit !== null && threshold !== null && threshold >= limit)
    refuse(`${at}.alert_threshold`, `must be below credit_limit, which is ${limit}`);
  const resets = reset ?? days ?? usage.next_usage_reset_at;
  if (limit === null && threshold === null && resets !== null)
    refuse(`${at}.credit_limit`, 'is missing: a reset needs a limit or an alert threshold');
}

/**
 * The rate limits of a body: from one object, a list, null or undefined, always a list.
 * @throws GatewayError `bad_request` for an unknown type or unit, a value that is no whole number from 0, two limits of
 * the same type and unit, more than `max`
 */
export function normaliseRateLimits(value: unknown, param: string, { max }: LimitOptions = {}): RateLimits[] {
  const seen = new Set<string>();
  return each(value, param, max).map(({ limit, at }) => {
    const rate: RateLimits = {
      type: oneOf(limit.type, rateLimitTypes, `${at}.type`) ?? missing(`${at}.type`, rateLimitTypes),
      unit: oneOf(limit.unit, rateLimitUnits, `${at}.unit`) ?? missing(`${at}.unit`, rateLimitUnits),
      value: number(limit.value, 'value', at) ?? refuse(`${at}.value`, 'is missing; a whole number from 0 is accepted'),
    };
    const kind = `${rate.type} ${rate.unit}`;
    if (seen.has(kind)) refuse(at, `is the second limit of ${kind}; each type and unit has one`);
    seen.add(kind);
    return rate;
  });
}

/** The rate limits that are enforced: a value of 0 switches one off. */
export function enforcedRateLimits(limits: readonly RateLimits[]): RateLimits[] {
  return limits.filter(({ value }) => value > 0);
}

/** Whether the new budget allows more than the old one, or counts something else: what was used up then works again. */
export function liftsUsageLimit(before: readonly UsageLimits[], after: readonly UsageLimits[]): boolean {
  const old = before[0]?.credit_limit ?? null;
  const fresh = after[0]?.credit_limit ?? null;
  if (old === null) return false;
  return fresh === null || fresh > old || after[0]?.type !== before[0]?.type;
}

interface Placed {
  readonly limit: Readonly<Record<string, unknown>>;
  /** Where it stands in the body. */
  readonly at: string;
}

function each(value: unknown, param: string, max: number | undefined): Placed[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (max !== undefined && list.length > max) refuse(param, `has ${list.length} entries; at most ${max} is accepted`);
  return list.map((item, index) => {
    const at = Array.isArray(value) ? `${param}[${index}]` : param;
    return { limit: asObject(item) ?? refuse(at, 'must be an object'), at };
  });
}

function number(value: unknown, name: keyof typeof bounds, at: string): number | null {
  if (value === undefined || value === null) return null;
  const [least, most] = bounds[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const accepted = most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least}` : `${least} to ${most}`;
  return refuse(`${at}.${name}`, `must be ${accepted}`);
}

function oneOf<const V extends readonly string[]>(value: unknown, accepted: V, param: string): V[number] | null {
  if (value === undefined || value === null) return null;
  return accepted.find((one) => one === value) ?? refuse(param, `must be ${accepted.join(', ')}`);
}

const dayMs = 86_400_000;

function midnight(value: unknown, param: string): string | null {
  if (value === undefined || value === null) return null;
  const ms = typeof value === 'number' ? value * 1000 : (isoMoment(String(value)) ?? Number.NaN);
  // Years beyond 9999 have another form of ISO 8601, which few readers know.
  if (!Number.isFinite(ms) || ms < 0 || ms >= 253_402_300_800_000)
    refuse(param, 'must be a moment in ISO 8601, or Unix seconds');
  return new Date(Math.floor(ms / dayMs) * dayMs).toISOString();
}

function missing(param: string, accepted: readonly string[]): never {
  return refuse(param, `is missing; ${accepted.join(', ')} are accepted`);
}

function refuse(param: string, why: string): never {
  throw new GatewayError('bad_request', `${param} ${why}.`, { param });
}
