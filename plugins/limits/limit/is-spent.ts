import type { CountState } from 'portcullis/sdk';
import type { Meter } from './meter.ts';

/** Whether a budget is as good as used up: so little is left that it refuses what people ask. */
export function isSpent({ most }: Pick<Meter, 'most'>, { used }: Pick<CountState, 'used'>): boolean {
  return used >= most - Math.floor(most / 10);
}
