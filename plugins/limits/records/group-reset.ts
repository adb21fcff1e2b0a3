import { budgetPeriod, budgetUnits, type ControlHost, refusedName } from 'portcullis/sdk';
import { forgetAlerts } from '../alerts/sent.ts';
import { budgetOf, prefixOf } from './budget.ts';
import type { UsagePolicyRecord } from './tables.ts';

/**
 * Sets the use of one group back to 0, and lets its alerts be sent again. Outside any transaction.
 * @returns false when the policy has counted nothing under the value key
 */
export async function resetGroup(
  host: Pick<ControlHost, 'counters' | 'transaction' | 'now'>,
  policy: UsagePolicyRecord,
  valueKey: string,
): Promise<boolean> {
  const { organisation_id: organisationId, type, credit_limit: credit } = policy;
  const { start, end } = budgetPeriod(budgetOf(policy), host.now());
  const name = prefixOf(policy) + valueKey;
  const { counts } = await host.counters.list(organisationId, name, start, 1000, 0);
  if (!counts.some((count) => count.name === name)) return false;
  await host.counters.set(organisationId, { name, start, end, durable: true }, 0);
  const mark = refusedName(name, budgetUnits(type, credit));
  await host.counters.set(organisationId, { name: mark, start, end, durable: true }, 0);
  await host.transaction({ organisationId }, ({ db }) =>
    forgetAlerts(db, organisationId, `policy/${policy.id}`, { value_key: valueKey }),
  );
  return true;
}
