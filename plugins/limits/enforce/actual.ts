import type { RequestRecord } from 'portcullis/sdk';
import type { Stake } from './stakes.ts';

/** Errors of requests that count as requests: a guardrail's denial is an answer, and whoever leaves early has asked. */
const asked: ReadonlySet<string> = new Set(['guardrail_denied', 'client_closed']);

/**
 * What a request has come to under one count. One that failed without usage has come to nothing, but still is a request where
 * a guardrail denied it or its client left. Tokens and cost are those of the target that served; replies out of the cache and denials
 * before the provider come to none.
 */
export function actualAmount({ meter, estimate, target }: Stake, record: RequestRecord): number {
  const failed = record.usage === undefined && (record.status >= 400 || record.error !== undefined);
  if (meter.measure === 'requests') return failed && !asked.has(record.error ?? '') ? 0 : 1;
  if (failed || record.cache === 'HIT' || record.cache === 'SEMANTIC HIT') return 0;
  if (target === undefined || (record.target !== undefined && record.target !== target)) return 0;
  const { usage, cost } = record;
  // A reply of which nobody has counted anything: what was set aside is the best that is known.
  if (meter.measure === 'cost') return whole(cost?.nanoUsd ?? estimate);
  return usage === undefined ? estimate : whole(usage.total ?? usage.input + usage.output);
}

/** Numbers of others, within what can be counted: what is no amount is none. */
export function whole(amount: number): number {
  return Number.isFinite(amount) && amount > 0 ? Math.min(Math.round(amount), Number.MAX_SAFE_INTEGER) : 0;
}
