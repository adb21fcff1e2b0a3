import type { Node, SingleBranch } from '../plan.ts';

/** The first target; others are spare. */
export function single(branch: SingleBranch): Node {
  return branch.children[0];
}
