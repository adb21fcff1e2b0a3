import { asString } from 'portcullis/sdk';
import { fiveChecks } from './five-checks.ts';
import { checkedGatewayRow, fullGatewayRow } from './gateway.ts';
import { type Kind, type NeighbourCosts, neighbourCosts, type TurnsPlan } from './neighbours.ts';
import type { Row } from './row.ts';

/** Measures five native checks on a request, their results in its reply, beside the same request without them. */
export async function guardrailCosts(plan: TurnsPlan): Promise<readonly NeighbourCosts[]> {
  return [await costsInFile(plan), await costsWithAllOn(plan)];
}

function costsInFile(plan: TurnsPlan): Promise<NeighbourCosts> {
  const row = checkedGatewayRow();
  return neighbourCosts(
    {
      about: 'Five native checks beside none, in a gateway of one file that has nothing else on',
      rows: [row],
      kinds: () => kindsOf(row, 'bench', 'checked'),
    },
    plan,
  );
}

function costsWithAllOn(plan: TurnsPlan): Promise<NeighbourCosts> {
  let [plain, checked] = ['', ''];
  const row = fullGatewayRow({
    guardrail: false,
    also: async (create) => {
      const guardrail = await create('guardrails', { name: 'Five', checks: fiveChecks, actions: { deny: true } });
      const config = async (name: string, more: object) => {
        const made = await create('configs', { name, config: { virtual_key: 'bench', ...more } });
        return asString(made.slug) ?? '';
      };
      plain = await config('Plain', {});
      checked = await config('Checked', { input_guardrails: [asString(guardrail.slug) ?? ''] });
    },
  });
  return neighbourCosts(
    {
      about: 'Five native checks beside none, in a gateway that has everything else on',
      rows: [row],
      kinds: () => kindsOf(row, plain, checked),
    },
    plan,
  );
}

function kindsOf(row: Row, plain: string, checked: string): readonly [Kind, Kind] {
  return [
    { name: 'no guardrail', row, headers: { 'x-gw-config': plain } },
    { name: 'five native checks', row, headers: { 'x-gw-config': checked } },
  ];
}
