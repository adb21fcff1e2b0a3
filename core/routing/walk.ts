import type { Breakers } from './breaker.ts';
import type { Leaf, Node, Plan } from './plan.ts';
import { matchBudget } from './query/budget.ts';
import { conditional } from './strategies/conditional.ts';
import { fallback } from './strategies/fallback.ts';
import { loadbalance } from './strategies/loadbalance.ts';
import { single } from './strategies/single.ts';
import type { Visit, WalkFacts } from './strategies/visit.ts';

export type { WalkFacts } from './strategies/visit.ts';

/**
 * Takes one request through the plan. `run` calls one target: it returns whatever a fallback may react to, and throws
 * only what ends the whole request. `discard` gets every outcome that is given up for another target's, so that its
 * open stream can be freed.
 * @throws what `run` throws; GatewayError when no condition matches, or matching costs too much
 */
export function walk<R extends { readonly status: number }>(
  plan: Plan,
  facts: WalkFacts,
  run: (leaf: Leaf) => Promise<R>,
  breakers?: Breakers,
  discard: (outcome: R) => void = () => {},
): Promise<R> {
  const visit: Visit<R> = {
    facts,
    budget: matchBudget(),
    run: (node) => runNode(node, visit, call),
    isOpen: (node) => breakers !== undefined && isOpen(node, plan, facts.scope, breakers),
    discard,
  };
  const call = async (leaf: Leaf): Promise<R> => {
    const permit = breakers?.of(plan, leaf, facts.scope)?.enter();
    try {
      const outcome = await run(leaf);
      permit?.settle(outcome.status);
      return outcome;
    } finally {
      // Without effect after `settle`; a throw or a caller who left says nothing about the target.
      permit?.release();
    }
  };
  return visit.run(plan.root);
}

async function runNode<R extends { readonly status: number }>(
  node: Node,
  visit: Visit<R>,
  call: (leaf: Leaf) => Promise<R>,
): Promise<R> {
  switch (node.kind) {
    case 'leaf':
      return call(node);
    case 'single':
      return visit.run(single(node));
    case 'fallback':
      return fallback(node, visit);
    case 'loadbalance':
      return visit.run(loadbalance(node, visit));
    case 'conditional':
      return visit.run(conditional(node, visit));
  }
}

function isOpen(node: Node, plan: Plan, scope: string | undefined, breakers: Breakers): boolean {
  switch (node.kind) {
    case 'leaf':
      return breakers.of(plan, node, scope)?.open ?? false;
    case 'single':
      return isOpen(node.children[0], plan, scope, breakers);
    case 'fallback':
    case 'conditional':
      return node.children.every((child) => isOpen(child, plan, scope, breakers));
    case 'loadbalance':
      return node.children.every((child, index) => node.weights[index] === 0 || isOpen(child, plan, scope, breakers));
  }
}
