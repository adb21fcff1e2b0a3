import {
  asNumber,
  type BudgetOwner,
  budgetName,
  budgetPeriod,
  budgetUnits,
  type LimitSpec,
  type RateLimits,
} from 'portcullis/sdk';
import { type Measure, Meter } from './meter.ts';
import { rateWindow, unitWords } from './rate-window.ts';

export interface Owner {
  readonly owner: BudgetOwner;
  readonly id: string;
  /** As a refusal names it. */
  readonly whose: string;
}

/** The counts of somebody's limits: rate limits, then the budget. Rate limits of 0 are switched off. */
export function metersOf(
  owner: Owner,
  rates: readonly LimitSpec[] | undefined,
  budget: LimitSpec | undefined,
): Meter[] {
  const enforced = (rates ?? []).filter(({ value }) => (asNumber(value) ?? 0) > 0);
  return [
    ...enforced.map((limit) => rateMeter(owner, limit as RateLimits)),
    ...(budget === undefined ? [] : [budgetMeter(owner, budget)]),
  ];
}

/** @param valueKey of a policy's group */
export function rateMeter({ owner, id, whose }: Owner, { type, unit, value }: RateLimits, valueKey?: string): Meter {
  return new Meter({
    kind: 'rate',
    measure: type,
    most: value,
    name: `rate/${owner}/${id}/${type}/${unit}${suffix(valueKey)}`,
    whose: named(whose, valueKey),
    terms: `${value} ${type} per ${unitWords[unit]}`,
    period: (now) => rateWindow(unit, now),
  });
}

/** One without `credit_limit` counts, for its alert, and refuses nobody. */
export function budgetMeter({ owner, id, whose }: Owner, limits: LimitSpec, valueKey?: string): Meter {
  const { type, credit_limit: credit } = limits;
  const most = asNumber(credit);
  return new Meter({
    kind: 'budget',
    measure: type as Measure,
    most: most === undefined ? Number.MAX_SAFE_INTEGER : budgetUnits(type, most),
    name: budgetName(owner, id, String(type)) + suffix(valueKey),
    whose: named(whose, valueKey),
    terms: type === 'cost' ? `${most} US dollars` : `${most} ${type}`,
    period: (now) => budgetPeriod(limits, now),
  });
}

const suffix = (valueKey: string | undefined) => (valueKey === undefined ? '' : `/${valueKey}`);
const named = (whose: string, valueKey: string | undefined) =>
  valueKey === undefined ? whose : `${whose} for ${valueKey.slice(0, 200)}`;
