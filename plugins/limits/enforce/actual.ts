import type { RequestRecord } from 'portcullis/sdk';
import type { Measure } from '../limit/meter.ts';
import type { Stake } from './stakes.ts';

/** Errors of requests that count as requests: a guardrail's denial is an answer, and whoever leaves early has asked. */
const asked: ReadonlySet<string> = new Set(['guardrail_denied', 'client_closed']);

/**
 * What a request has come to under one count. One that failed without usage has come to nothing, but still is a request where
 * a guardrail denied it or its client left. Tokens and cost are those of the target that served, and of those tried before it
 * whose replies were given up; replies out of the cache and denials before the provider come to none.
 */
export function actualAmount({ meter, estimate, target, targets }: Stake, record: RequestRecord): number {
  const failed = record.usage === undefined && (record.status >= 400 || record.error !== undefined);
  if (meter.measure === 'requests') return failed && !asked.has(record.error ?? '') ? 0 : 1;
  if (failed || target === undefined) return 0;
  const { givenUp } = record;
  const amountOf = (charge: Pick<RequestRecord, 'usage' | 'cost'>) => amountIn(charge, meter.measure);
  const cached = record.cache === 'HIT' || record.cache === 'SEMANTIC HIT';
  const servedHere = !cached && (record.target === undefined || record.target === target);
  // A reply of which nobody has counted anything: what was set aside is the best that is known.
  const all = amountOf(record);
  if (givenUp === undefined) return servedHere ? whole(all ?? estimate) : 0;
  const served = all === undefined ? estimate : all - sumOf(givenUp.map((one) => amountOf(one) ?? 0));
  const own = givenUp.filter((one) => targets.includes(one.target));
  return whole((servedHere ? served : 0) + sumOf(own.map((one) => amountOf(one) ?? estimate)));
}

/** Undefined: nobody knows. */
export function amountIn({ usage, cost }: Pick<RequestRecord, 'usage' | 'cost'>, measure: Measure): number | undefined {
  if (measure === 'cost') return cost?.nanoUsd;
  return usage === undefined ? undefined : (usage.total ?? usage.input + usage.output);
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}

/** Numbers of others, within what can be counted: what is no amount is none. */
export function whole(amount: number): number {
  return Number.isFinite(amount) && amount > 0 ? Math.min(Math.round(amount), Number.MAX_SAFE_INTEGER) : 0;
}
