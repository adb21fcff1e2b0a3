import {
  type JsonObject,
  keptReset,
  liftsUsageLimit,
  normaliseRateLimits,
  normaliseUsageLimits,
  type Operation,
  shownBudget,
  type Values,
} from 'portcullis/sdk';
import type { ProviderRecord } from '../records.ts';
import { refuse } from '../refuse.ts';

/** What is stored of a new provider, beside its integration. @throws GatewayError `bad_request` */
export function newProvider(operation: Operation, body: JsonObject): Values {
  const usageLimits = normaliseUsageLimits(body.usage_limits, 'usage_limits');
  return {
    ...given(body, ['name', 'slug', 'note', 'tags']),
    usage_limits: usageLimits,
    ...keptReset({ created_at: operation.now }, [], usageLimits, operation.now),
    rate_limits: normaliseRateLimits(body.rate_limits, 'rate_limits'),
    expires_at: expiryOf(operation, body),
  };
}

/** What changes: absent members stay, null clears them. */
export function changedProvider(operation: Operation, record: ProviderRecord, body: JsonObject): Values {
  const { usage_limits: usage, rate_limits: rate } = body;
  const old = record.usage_limits ?? [];
  const usageLimits = usage === undefined ? old : normaliseUsageLimits(usage, 'usage_limits');
  const reset = body.reset_usage === true || body.reset_usage === 1;
  const lifted = reset || liftsUsageLimit(old, usageLimits);
  return {
    ...given(body, ['name', 'note', 'tags']),
    ...(usage === undefined ? {} : { usage_limits: usageLimits }),
    ...(rate === undefined ? {} : { rate_limits: normaliseRateLimits(rate, 'rate_limits') }),
    // Clients send back what they have read: a date that has passed meanwhile stays.
    ...(body.expires_at === undefined || body.expires_at === record.expires_at
      ? {}
      : { expires_at: expiryOf(operation, body) }),
    ...(lifted && record.status === 'exhausted' ? { status: 'active' } : {}),
    ...(reset ? { last_reset_at: operation.now } : keptReset(record, old, usageLimits, operation.now)),
  };
}

function given(body: JsonObject, names: readonly string[]): Values {
  return Object.fromEntries(names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]));
}

function expiryOf(operation: Operation, { expires_at: moment }: JsonObject): number | null {
  if (moment === undefined || moment === null) return null;
  return typeof moment === 'number' && moment > operation.now ? moment : refuse('expires_at', 'must be in the future');
}

/** The status that the clock gives it. */
export function statusOf(record: ProviderRecord, now: number): 'active' | 'exhausted' | 'expired' {
  const { expires_at: expiry } = record;
  if (expiry !== undefined && expiry !== null && expiry <= now) return 'expired';
  return record.status === 'exhausted' ? 'exhausted' : 'active';
}

/** Its budget as replies have it. */
export function budgetOf(record: ProviderRecord, now: number): JsonObject | null {
  const limits = record.usage_limits?.[0];
  return limits === undefined ? null : shownBudget(limits, record, now);
}
