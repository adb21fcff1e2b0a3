import { checkedGatewayRow } from './gateway.ts';
import { type NeighbourCosts, neighbourCosts, type TurnsPlan } from './neighbours.ts';

/** Measures five native checks on a request, their results in its reply, beside the same request without them. */
export function guardrailCosts(plan: TurnsPlan): Promise<NeighbourCosts> {
  const named = (config: string) => ({ 'x-gw-config': config });
  const kinds = [
    { name: 'no guardrail', headers: named('bench') },
    { name: 'five native checks', headers: named('checked') },
  ] as const;
  return neighbourCosts(checkedGatewayRow(), () => kinds, plan);
}
