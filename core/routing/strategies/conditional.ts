import { GatewayError } from 'portcullis/sdk';
import { paramOf } from '../fault.ts';
import type { ConditionalBranch, Node } from '../plan.ts';
import type { Visit } from './visit.ts';

/** The target of the first condition that matches, else the default. @throws GatewayError when there is neither */
export function conditional<R>(branch: ConditionalBranch, visit: Visit<R>): Node {
  const matched = branch.conditions.find(({ matches }) => matches(visit.facts, visit.budget));
  const child = branch.children[matched?.child ?? branch.otherwise ?? -1];
  if (child !== undefined) return child;
  throw new GatewayError('invalid_config', 'No condition of the conditional strategy matched and it has no default.', {
    param: paramOf(branch.path, 'strategy.conditions'),
  });
}
