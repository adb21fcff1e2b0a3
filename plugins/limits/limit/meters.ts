import {
  asNumber,
  type BudgetOwner,
  budgetName,
  budgetPeriod,
  budgetUnits,
  type LimitSpec,
  type RateLimits,
} from 'portcullis/sdk';
import { amountWords } from './amount-words.ts';
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

/** One of those that a policy counts by itself. */
export interface Group {
  readonly valueKey: string;
  /** As a refusal names it. */
  readonly words: string;
}

export function rateMeter({ owner, id, whose }: Owner, { type, unit, value }: RateLimits, group?: Group): Meter {
  return new Meter({
    kind: 'rate',
    measure: type,
    most: value,
    name: `rate/${owner}/${id}/${type}/${unit}${suffix(group)}`,
    whose: named(whose, group),
    terms: `${amountWords(type, value)} per ${unitWords[unit]}`,
    period: (now) => rateWindow(unit, now),
  });
}

/** One without `credit_limit` counts, for its alert, and refuses nobody. */
export function budgetMeter({ owner, id, whose }: Owner, limits: LimitSpec, group?: Group): Meter {
  const { credit_limit: credit } = limits;
  const measure = limits.type as Measure;
  const most = asNumber(credit);
  return new Meter({
    kind: 'budget',
    measure,
    most: most === undefined ? Number.MAX_SAFE_INTEGER : budgetUnits(measure, most),
    name: budgetName(owner, id, measure) + suffix(group),
    whose: named(whose, group),
    terms: most === undefined ? 'no limit' : amountWords(measure, most),
    period: (now) => budgetPeriod(limits, now),
  });
}

const suffix = (group: Group | undefined) => (group === undefined ? '' : `/${group.valueKey}`);
const named = (whose: string, group: Group | undefined) =>
  group === undefined ? whose : `${whose} for ${group.words.slice(0, 200)}`;
