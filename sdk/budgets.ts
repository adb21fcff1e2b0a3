import type { ControlHost } from './contracts/control.ts';
import type { Counters, CountState } from './contracts/counters.ts';
import type { LimitSpec } from './contracts/directory.ts';
import type { JsonObject } from './json.ts';
import { asNumber, asString } from './json.ts';
import { mostCounted, nanoPerUsd, type UsageLimits } from './limits.ts';

/** What may have a budget. A grant is the use of an integration by a workspace: `<integration id>.<workspace id>`. */
export type BudgetOwner = 'workspace' | 'grant' | 'provider' | 'key' | 'token' | 'policy';

/** The time in which a budget is used up; both ends are epoch milliseconds. */
export interface Period {
  /** Names the count. Lies ahead where the first reset is further off than the cadence is long, and `keptReset` was not asked. */
  readonly start: number;
  /** Undefined: it never ends. */
  readonly end: number | undefined;
}

const dayMs = 86_400_000;

/**
 * The budget as the data plane counts it: with the day from which its days are counted, and the last time that its use was
 * set back, which begins the count anew.
 */
export function enforcedBudget(
  limits: UsageLimits,
  record: { readonly created_at: number; readonly last_reset_at?: unknown },
): LimitSpec {
  const { periodic_reset_days: days, next_usage_reset_at: next } = limits;
  const reset = asNumber(record.last_reset_at);
  return {
    ...limits,
    ...(days === null || next !== null
      ? {}
      : { next_usage_reset_at: new Date(startOfDay(record.created_at) + days * dayMs).toISOString() }),
    ...(reset === undefined ? {} : { last_reset_at: reset }),
  };
}

/**
 * The period that runs at a moment: weeks begin on Monday and months on the first, at 00:00 UTC; days are counted from
 * `next_usage_reset_at`, before which nothing is reset. The same period gives the same start, whoever asks.
 */
export function budgetPeriod(limits: JsonObject, now: number): Period {
  const { start, end } = cadence(limits, now);
  const reset = asNumber(limits.last_reset_at);
  if (reset === undefined) return { start, end };
  return { start: isBeforeFirst(limits, now) ? reset : Math.max(start, reset), end };
}

/** Whether the first reset is yet to come: until then only people reset. */
function isBeforeFirst({ next_usage_reset_at: next }: JsonObject, now: number): boolean {
  const first = momentOf(next);
  return first !== undefined && now < first;
}

function cadence(limits: JsonObject, now: number): Period {
  const next = momentOf(limits.next_usage_reset_at);
  const days = asNumber(limits.periodic_reset_days);
  if (days !== undefined) {
    const anchor = next ?? 0;
    const turns = now < anchor ? -1 : Math.floor((now - anchor) / (days * dayMs));
    const start = anchor + turns * days * dayMs;
    return { start, end: start + days * dayMs };
  }
  const calendar = calendars[asString(limits.periodic_reset) ?? ''];
  if (calendar === undefined) {
    if (next === undefined) return { start: 0, end: undefined };
    return now < next ? { start: 0, end: next } : { start: next, end: undefined };
  }
  if (next !== undefined && now < next) return { start: calendar(next - 1).start, end: next };
  const { start, end } = calendar(now);
  return { start: Math.max(start, next ?? 0), end };
}

const calendars: Readonly<Record<string, (at: number) => { readonly start: number; readonly end: number }>> = {
  weekly: (at) => {
    const start = startOfWeek(at);
    return { start, end: start + 7 * dayMs };
  },
  monthly: (at) => {
    const date = new Date(at);
    const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
    return { start, end: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) };
  },
};

const startOfDay = (at: number) => Math.floor(at / dayMs) * dayMs;

/** Monday, 00:00 UTC. */
export function startOfWeek(at: number): number {
  // 1970 began on a Thursday.
  return Math.floor((at - 4 * dayMs) / (7 * dayMs)) * 7 * dayMs + 4 * dayMs;
}

function momentOf(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) ? at : undefined;
}

/** Name of a budget's count. @param type of the limit: another type is another count */
export function budgetName(owner: BudgetOwner, id: string, type: string): string {
  return `budget/${owner}/${id}/${type}`;
}

/**
 * Name of the count that says that a budget refuses: the room that is left is too small for what is asked. A raised limit is
 * not meant by it.
 * @param limit in the unit of the count
 */
export function refusedName(budget: string, limit: number): string {
  return `refused/${limit}/${budget}`;
}

/** An amount of a limit in the unit of its count: billionths of a dollar for `cost`. */
export function budgetUnits(type: unknown, amount: number): number {
  return type === 'cost' ? Math.min(Math.round(amount * nanoPerUsd), mostCounted) : amount;
}

/** The other way round: dollars, tokens or requests. */
export function budgetAmount(type: unknown, units: number): number {
  return type === 'cost' ? units / nanoPerUsd : units;
}

/** A budget, as `enforcedBudget` gives it, with whose it is. */
export interface OwnedBudget {
  readonly owner: BudgetOwner;
  readonly id: string;
  readonly limits: LimitSpec;
}

export interface BudgetStanding {
  /** Dollars, tokens or requests of the running period. */
  readonly used: number;
  readonly exhausted: boolean;
  readonly period: Period;
}

/**
 * Where budgets of one organisation stand now, in the order given. Not inside a transaction of the control plane: counts may
 * have to be read from the store. Counts that cannot be reached are logged, and give an empty list: what people ask for can
 * be shown without them.
 */
export async function budgetStandings(
  host: Pick<ControlHost, 'counters' | 'log'>,
  organisationId: string,
  budgets: readonly OwnedBudget[],
  now: number,
): Promise<readonly BudgetStanding[]> {
  if (budgets.length === 0) return [];
  const counted = budgets.map(({ owner, id, limits }) => {
    const credit = asNumber(limits.credit_limit);
    const limit = credit === undefined ? undefined : budgetUnits(limits.type, credit);
    const period = budgetPeriod(limits, now);
    return { name: budgetName(owner, id, String(limits.type)), type: limits.type, limit, period };
  });
  const states = await readable(
    host,
    organisationId,
    counted.flatMap(({ name, limit, period: { start } }) => [
      { name, start, durable: true },
      { name: refusedName(name, limit ?? 0), start, durable: true },
    ]),
  );
  if (states === undefined) return [];
  return counted.map(({ type, limit, period }, index) => {
    const used = states[index * 2]?.used ?? 0;
    const refused = (states[index * 2 + 1]?.used ?? 0) > 0;
    return { used: budgetAmount(type, used), exhausted: limit !== undefined && (refused || used >= limit), period };
  });
}

async function readable(
  { counters, log }: Pick<ControlHost, 'counters' | 'log'>,
  organisationId: string,
  counts: Parameters<Counters['read']>[1],
): Promise<readonly CountState[] | undefined> {
  try {
    return await counters.read(organisationId, counts);
  } catch (error) {
    log.warn('counts_unreadable', { error: error instanceof Error ? error.message : 'not an error' });
    return undefined;
  }
}

/** When a budget was last reset, by people or by its cadence; null: never since it is there. Epoch milliseconds. */
export function lastReset(
  limits: LimitSpec | undefined,
  record: { readonly created_at: number; readonly last_reset_at?: unknown },
  now: number,
): number | null {
  const begun = asNumber(record.last_reset_at);
  // A count that was kept may have begun before there was the record, or be named by a day to come.
  const isKnown = begun !== undefined && begun >= record.created_at && begun <= now;
  const byHand = isKnown ? begun : undefined;
  const start = limits === undefined || isBeforeFirst(limits, now) ? 0 : cadence(limits, now).start;
  const byCadence = start > record.created_at ? start : undefined;
  if (byHand === undefined) return byCadence ?? null;
  return Math.max(byHand, byCadence ?? 0);
}

/**
 * What a new budget, or a change of one, adds to the record: another cadence, or a first reset that is set anew, is no reset. The count
 * that runs goes on until the new cadence ends it, for which the next reset is written down where the cadence alone would
 * begin another count. Without a cadence it goes on until a day to come that is named, which resets once; one that has
 * passed is left out. A count whose first reset is far ahead is named by a moment before the record: by a day to come it
 * would be named as the count of that day's period.
 */
export function keptReset(
  record: { readonly created_at: number; readonly last_reset_at?: unknown },
  [old]: readonly UsageLimits[],
  [fresh]: readonly UsageLimits[],
  now: number,
): { readonly last_reset_at?: number; readonly usage_limits?: UsageLimits[] } {
  if (fresh === undefined || sameCadence(old, fresh)) return {};
  const next = budgetPeriod(enforcedBudget(fresh, record), now);
  // A count that a day to come names would outlast the resets until then: one that was kept is set back, others are left.
  if (next.end !== undefined && next.end < (asNumber(record.last_reset_at) ?? 0)) return { last_reset_at: now };
  if (old === undefined) return keptSince(record, fresh, now);
  const { start } = budgetPeriod(enforcedBudget(old, record), now);
  if (next.start === start) return {};
  if (start > now && next.end !== undefined) return namedBefore(record, next.start, now);
  const { created_at } = record;
  const kept = { last_reset_at: start };
  if (budgetPeriod(enforcedBudget(fresh, { created_at, ...kept }), now).start === start) return kept;
  // Without a cadence, a day that has passed is no reset to come.
  const first = next.end === undefined ? null : new Date(next.end).toISOString();
  return { ...kept, usage_limits: [{ ...fresh, next_usage_reset_at: first }] };
}

/** The same of a budget where there was none: what was set back some time before stays so. */
function keptSince(
  { created_at, last_reset_at }: { readonly created_at: number; readonly last_reset_at?: unknown },
  fresh: UsageLimits,
  now: number,
): { readonly last_reset_at?: number } {
  const byHand = asNumber(last_reset_at);
  if (!isBeforeFirst(fresh, now)) return {};
  const { start } = budgetPeriod(enforcedBudget(fresh, { created_at }), now);
  if (byHand === undefined) return namedBefore({ created_at }, start, now);
  return start > byHand && start <= now ? { last_reset_at: start } : {};
}

/** No reset that is told: nobody has set back what there was not. */
function namedBefore(
  { created_at }: { readonly created_at: number },
  start: number,
  now: number,
): { readonly last_reset_at?: number } {
  return start > now ? { last_reset_at: created_at - 1 } : {};
}

function sameCadence(old: UsageLimits | undefined, fresh: UsageLimits): boolean {
  return (
    old?.periodic_reset === fresh.periodic_reset &&
    old.periodic_reset_days === fresh.periodic_reset_days &&
    old.next_usage_reset_at === fresh.next_usage_reset_at
  );
}

/** ISO 8601; null: never. */
export function nextReset(limits: LimitSpec | undefined, now: number): string | null {
  const end = limits === undefined ? undefined : budgetPeriod(limits, now).end;
  return end === undefined ? null : new Date(end).toISOString();
}

/** A budget as replies have it: with the moment of its next reset, whether people have set that or its cadence gives it. */
export function shownBudget(
  limits: UsageLimits,
  record: { readonly created_at: number; readonly last_reset_at?: unknown },
  now: number,
): UsageLimits {
  return { ...limits, next_usage_reset_at: nextReset(enforcedBudget(limits, record), now) };
}
