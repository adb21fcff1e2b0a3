import type { RequestRecord } from 'portcullis/sdk';
import type { Meter } from '../limit/meter.ts';

/** What was set aside under one count, and for which target. */
export interface Stake {
  readonly meter: Meter;
  readonly estimate: number;
  /** JSON path of the last target that it was needed for. */
  target: string;
}

/**
 * What a request has come to under one count. One that failed without usage has come to nothing, but for one that a guardrail
 * denied: that was served its answer. Tokens and cost are those of the target that served; replies out of the cache and denials
 * before the provider come to none.
 */
export function actualAmount({ meter, estimate, target }: Stake, record: RequestRecord): number {
  const failed = record.usage === undefined && (record.status >= 400 || record.error !== undefined);
  if (meter.measure === 'requests') return failed && record.error !== 'guardrail_denied' ? 0 : 1;
  if (failed || record.cache === 'HIT' || record.cache === 'SEMANTIC HIT') return 0;
  if (record.target !== undefined && record.target !== target) return 0;
  const { usage, cost } = record;
  if (meter.measure === 'cost') return whole(cost?.nanoUsd ?? (usage === undefined ? 0 : estimate));
  // A reply of which nobody has counted anything: what was set aside is the best that is known.
  return usage === undefined ? estimate : whole(usage.total ?? usage.input + usage.output);
}

/** Providers' numbers are not ours: what is no amount is none. */
function whole(amount: number): number {
  return Number.isFinite(amount) && amount > 0 ? Math.min(Math.round(amount), Number.MAX_SAFE_INTEGER) : 0;
}
