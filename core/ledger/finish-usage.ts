import type { MaybePromise, Outcome, Usage } from 'portcullis/sdk';
import { ReplyLedger } from './reply-ledger.ts';

/** The tokens of a request, and who counted them. */
export interface CountedUsage {
  /** Undefined: no provider was reached, or what it was asked for has no tokens. */
  readonly usage: Usage | undefined;
  readonly usageSource: 'provider' | 'estimated' | undefined;
}

/** Nothing is known. */
export const uncounted: CountedUsage = Object.freeze({ usage: undefined, usageSource: undefined });

/**
 * The tokens of a request that is over for its client: sent, denied midway, broken off or left behind. Resolves at once where
 * the provider has told its closing counts, after the answer has been read to its end where the operator wants that, and
 * otherwise with what can be counted.
 */
export function finishUsage(outcome: Outcome): MaybePromise<CountedUsage> {
  const { metering } = outcome;
  if (metering instanceof ReplyLedger) return metering.counted();
  const usage = outcome.usage();
  return usage === undefined ? uncounted : { usage, usageSource: 'provider' };
}
