import type { LoadbalanceBranch, Node } from '../plan.ts';
import { stickyChild } from './sticky.ts';
import type { Visit } from './visit.ts';

/** One target by weight, at random or, with a sticky rule, always the same for the same caller. */
export function loadbalance<R>(branch: LoadbalanceBranch, visit: Visit<R>): Node {
  const weighted = branch.weights.flatMap((weight, index) => (weight > 0 ? [index] : []));
  const healthy = weighted.filter((index) => !visit.isOpen(branch.children[index] ?? branch));
  const eligible = healthy.length > 0 ? healthy : weighted;
  const sticky = branch.sticky && stickyChild(branch, branch.sticky, eligible, visit.facts);
  return branch.children[sticky ?? drawn(branch.weights, eligible, visit.facts.random())] ?? branch.children[0];
}

function drawn(weights: readonly number[], eligible: readonly number[], chance: number): number {
  const total = eligible.reduce((sum, index) => sum + (weights[index] ?? 0), 0);
  let left = chance * total;
  for (const index of eligible) {
    left -= weights[index] ?? 0;
    if (left < 0) return index;
  }
  // Rounding may leave a last sliver: it belongs to the last target.
  return eligible.at(-1) ?? 0;
}
