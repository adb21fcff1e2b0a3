import {
  type BudgetOwner,
  budgetStandings,
  type ControlHost,
  enforcedBudget,
  type LimitSpec,
  lastReset,
  type Operation,
} from 'portcullis/sdk';
import type { GrantRecord, ProviderRecord } from './records.ts';

type Limited = GrantRecord | ProviderRecord;

/** What the use of a provider, or of an integration by a workspace, adds to how it is shown. */
export interface UsageShown {
  readonly exhausted: boolean;
  /** Epoch milliseconds; null: never. */
  readonly lastResetAt: number | null;
}

export function grantBudgetId({ integration_id, workspace_id }: GrantRecord): string {
  return `${integration_id}.${workspace_id}`;
}

/** By the records' ids. Not inside a transaction: what they have used is read as well. */
export async function usageOf<R extends Limited>(
  host: Pick<ControlHost, 'counters' | 'log'>,
  { scope, now }: Operation,
  owner: BudgetOwner,
  records: readonly R[],
  idOf: (record: R) => string,
): Promise<ReadonlyMap<string, UsageShown>> {
  const limited = records.flatMap((record) => {
    const limits = limitsOf(record);
    return limits === undefined ? [] : [{ record, owner, id: idOf(record), limits }];
  });
  const standings = limited.length === 0 ? [] : await budgetStandings(host, scope.organisationId, limited, now);
  const exhausted = new Set(
    limited.filter((_, index) => standings[index]?.exhausted === true).map(({ record }) => record.id),
  );
  return new Map(
    records.map((record) => [
      record.id,
      { exhausted: exhausted.has(record.id), lastResetAt: lastReset(limitsOf(record), record, now) },
    ]),
  );
}

function limitsOf(record: Limited): LimitSpec | undefined {
  const limits = record.usage_limits?.[0];
  return limits === undefined ? undefined : enforcedBudget(limits, record);
}
