import {
  asNumber,
  asString,
  GatewayError,
  type JsonObject,
  keptReset,
  mostCredit,
  type UsageLimits,
  type Values,
} from 'portcullis/sdk';
import { type CadenceValues, limitsOf } from './budget.ts';
import { readConditions, readGroupBy } from './condition-field.ts';
import type { UsagePolicyRecord } from './tables.ts';

/** The least that a budget may be (control-plane.md §6, row 30). */
const leastCredit: Readonly<Record<UsageLimits['type'], number>> = { cost: 1, tokens: 100, requests: 1 };
const dayMs = 86_400_000;

/** What is stored of a new policy. @throws GatewayError `bad_request` */
export function newUsagePolicy(body: JsonObject, now: number): Values {
  refuseTools(body);
  refuseBornArchived(body);
  const type = body.type as UsageLimits['type'];
  const values = {
    name: body.name ?? null,
    description: body.description ?? null,
    conditions: readConditions(body.conditions, 'usage'),
    group_by: readGroupBy(body.group_by, 'usage'),
    credit_limit: asNumber(body.credit_limit) ?? 0,
    alert_threshold: asNumber(body.alert_threshold) ?? null,
    ...cadenceOf(body),
  };
  checkAmounts(type, values.credit_limit, values.alert_threshold);
  const fresh = limitsOf({ ...values, type });
  return { ...values, ...keptReset({ created_at: now }, [], [fresh], now) };
}

/** What changes: absent members stay, null clears. @throws GatewayError `bad_request`, `conflict` for an archived policy */
export function changedUsagePolicy(record: UsagePolicyRecord, body: JsonObject, now: number): Values {
  refuseArchived(record, body);
  const credit = asNumber(body.credit_limit) ?? record.credit_limit;
  const threshold =
    body.alert_threshold === undefined ? record.alert_threshold : (asNumber(body.alert_threshold) ?? null);
  checkAmounts(record.type, credit, threshold);
  return {
    credit_limit: credit,
    alert_threshold: threshold,
    ...(body.conditions === undefined ? {} : { conditions: readConditions(body.conditions, 'usage') }),
    ...keptCount(record, changedCadence(record, body), now),
  };
}

/** @throws GatewayError `conflict` for a change of an archived policy that does not make it active again */
export function refuseArchived({ status }: { readonly status: string }, body: JsonObject): void {
  if (status !== 'archived' || body.status === 'active') return;
  throw new GatewayError('conflict', 'The policy is archived: it can be read, and made active again with status.', {
    param: 'status',
  });
}

/** @throws GatewayError `bad_request` for a new policy that would limit nothing */
export function refuseBornArchived({ status }: JsonObject): void {
  if (status === 'archived') refuse('status', 'must be "active" or left out: a policy that exists is archived');
}

/** @throws GatewayError `bad_request` for limits of what this gateway does not do */
export function refuseTools({ target }: JsonObject): void {
  if (target === undefined || target === null || target === 'llm') return;
  refuse('target', 'must be "llm": limits of MCP tools are not there yet');
}

function checkAmounts(type: UsageLimits['type'], credit: number, threshold: number | null): void {
  const [least, most] = [leastCredit[type], mostCredit[type]];
  const isWhole = type === 'cost' || Number.isSafeInteger(credit);
  if (credit < least || credit > most || !isWhole)
    refuse(
      'credit_limit',
      `must be a ${type === 'cost' ? '' : 'whole '}number from ${least} to ${most} for the type ${type}`,
    );
  if (threshold === null) return;
  if (threshold <= 0) refuse('alert_threshold', 'must be above 0');
  if (threshold >= credit) refuse('alert_threshold', `must be below credit_limit, which is ${credit}`);
}

function cadenceOf(body: JsonObject): CadenceValues {
  const reset = (asString(body.periodic_reset) ?? null) as CadenceValues['periodic_reset'];
  const days = asNumber(body.periodic_reset_days) ?? null;
  if (reset !== null && days !== null) refuse('periodic_reset_days', 'excludes periodic_reset: give one of the two');
  return { periodic_reset: reset, periodic_reset_days: days, next_usage_reset_at: midnight(body.next_usage_reset_at) };
}

/** Another cadence is no reset: what was counted under the old one goes on. */
function keptCount(record: UsagePolicyRecord, cadence: Partial<UsagePolicyRecord>, now: number): Values {
  const kept = keptReset(record, [limitsOf(record)], [limitsOf({ ...record, ...cadence })], now);
  const next = kept.usage_limits?.[0]?.next_usage_reset_at;
  return {
    ...cadence,
    ...(kept.last_reset_at === undefined ? {} : { last_reset_at: kept.last_reset_at }),
    ...(next === undefined ? {} : { next_usage_reset_at: next === null ? null : Date.parse(next) }),
  };
}

/** Whoever gives one of the two cadences leaves the other. */
function changedCadence(record: UsagePolicyRecord, body: JsonObject): Values {
  const { periodic_reset: reset, periodic_reset_days: days, next_usage_reset_at: next } = body;
  if (reset === undefined && days === undefined && next === undefined) return {};
  const given = cadenceOf({
    periodic_reset: reset ?? (reset === undefined && asNumber(days) === undefined ? record.periodic_reset : null),
    periodic_reset_days:
      days ?? (days === undefined && asString(reset) === undefined ? record.periodic_reset_days : null),
    next_usage_reset_at: next ?? null,
  });
  if (next !== undefined) return given;
  const same =
    given.periodic_reset === record.periodic_reset && given.periodic_reset_days === record.periodic_reset_days;
  return { ...given, next_usage_reset_at: same ? record.next_usage_reset_at : null };
}

/** The start of the day, in UTC. */
function midnight(moment: JsonObject[string] | undefined): number | null {
  const at = asNumber(moment);
  return at === undefined ? null : Math.floor(at / dayMs) * dayMs;
}

function refuse(param: string, why: string): never {
  throw new GatewayError('bad_request', `${param} ${why}.`, { param });
}
