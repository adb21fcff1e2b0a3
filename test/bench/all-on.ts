import { bareKoa } from './bare-koa.ts';
import { fullGatewayRow } from './gateway.ts';
import { type NeighbourCosts, neighbourCosts, type TurnsPlan } from './neighbours.ts';

/** Measures a gateway that has everything on beside the bare proxy, both running. */
export async function allOnCosts(plan: TurnsPlan): Promise<readonly NeighbourCosts[]> {
  const full = fullGatewayRow();
  const about = 'A gateway that has everything on beside the bare proxy';
  const kinds = () =>
    [
      { name: bareKoa.name, row: bareKoa },
      { name: full.name, row: full },
    ] as const;
  return [await neighbourCosts({ about, rows: [bareKoa, full], kinds }, plan)];
}
