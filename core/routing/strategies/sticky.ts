import { hash } from 'node:crypto';
import type { LoadbalanceBranch, StickyRule } from '../plan.ts';
import { readField } from '../query/field-path.ts';
import type { WalkFacts } from './visit.ts';

/**
 * The child that a caller sticks to, or undefined when the request has none of the fields. Every process comes to the
 * same child without a store: each child draws a number from the hash of caller, period and child, and the best draw
 * for its weight wins, so that a child left out moves only its own callers. A period lasts `ttlSeconds`; it begins at
 * another moment for every caller, so that they do not all move at once.
 */
export function stickyChild(
  branch: LoadbalanceBranch,
  rule: StickyRule,
  eligible: readonly number[],
  facts: WalkFacts,
): number | undefined {
  const values = rule.fields.map((field) => readField(field, facts) ?? null);
  if (values.every((value) => value === null)) return undefined;
  const caller = hash('sha256', JSON.stringify([branch.path, values]));
  const offset = unit(caller) * rule.ttlSeconds;
  const period = Math.floor((facts.now() / 1000 + offset) / rule.ttlSeconds);
  let best: number | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const index of eligible) {
    const score = -Math.log(unit(hash('sha256', `${caller} ${period} ${index}`))) / (branch.weights[index] ?? 0);
    if (best !== undefined && score >= bestScore) continue;
    best = index;
    bestScore = score;
  }
  return best;
}

/** A number above 0 and below 1 from the first 52 bits of a hash. */
function unit(hex: string): number {
  return (Number.parseInt(hex.slice(0, 13), 16) + 0.5) / 2 ** 52;
}
