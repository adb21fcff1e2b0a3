import type { Measure } from './meter.ts';

const nouns: Readonly<Record<Measure, string>> = { requests: 'request', tokens: 'token', cost: 'US dollar' };

/** As sentences have it: `10 requests`, `1 US dollar`. */
export function amountWords(measure: Measure, amount: number): string {
  return `${amount} ${nouns[measure]}${amount === 1 ? '' : 's'}`;
}
