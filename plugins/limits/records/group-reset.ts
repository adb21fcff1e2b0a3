import { budgetPeriod, budgetUnits, type ControlHost, refusedName } from 'portcullis/sdk';
import { forgetAlerts } from '../alerts/sent.ts';
import { budgetOf, prefixOf } from './budget.ts';
import type { UsagePolicyRecord } from './tables.ts';

const pageOfCounts = 1000;
/** Counts that are gone through at most, to find one that holds nothing. */
const mostLookedAt = 20_000;

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
  if (!(await isCounted(host, organisationId, name, start))) return false;
  await host.counters.set(organisationId, { name, start, end, durable: true }, 0);
  const mark = refusedName(name, budgetUnits(type, credit));
  await host.counters.set(organisationId, { name: mark, start, end, durable: true }, 0);
  await host.transaction({ organisationId }, ({ db }) =>
    forgetAlerts(db, organisationId, `policy/${policy.id}`, { value_key: valueKey }),
  );
  return true;
}

async function isCounted(
  { counters }: Pick<ControlHost, 'counters'>,
  organisationId: string,
  name: string,
  start: number,
): Promise<boolean> {
  const [state] = await counters.read(organisationId, [{ name, start, durable: true }]);
  if (state !== undefined && state.used > 0) return true;
  // One that was set back is known as well, and the names of many others may begin with its own.
  for (let from = 0; from < mostLookedAt; from += pageOfCounts) {
    const { total, counts } = await counters.list(organisationId, name, start, pageOfCounts, from);
    if (counts.some((count) => count.name === name)) return true;
    if (counts.length === 0 || from + counts.length >= total) return false;
  }
  return false;
}
