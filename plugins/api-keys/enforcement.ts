import type { JsonObject, Operation, Records, Scope, StoredRecord } from 'portcullis/sdk';
import { placeOf } from './place.ts';
import type { KeyRecord } from './record.ts';
import { rotationOf } from './rotation-policy.ts';
import { currentRotation } from './values.ts';

/** A cadence that the settings begin to enforce, or change, holds for the keys of people that are there already. */
export async function enforceRotation(
  operation: Operation,
  scope: Scope,
  before: JsonObject | undefined,
  after: StoredRecord,
): Promise<void> {
  if (!mayDiffer(before, after)) return;
  const keys = operation.records<KeyRecord>('api_keys');
  const periods = new Map<string, number | undefined>();
  for (let page = 0; ; page += 1) {
    const { records } = await keys.list(scope, { where: { type: 'workspace-user' }, page, pageSize });
    for (const key of records) {
      const { workspace_id: workspaceId } = key;
      if (workspaceId === null) continue;
      if (!periods.has(workspaceId)) {
        const { settings } = await placeOf(operation, key.type, workspaceId);
        periods.set(workspaceId, settings.userApiKeyRotationPeriod);
      }
      await enforce(operation, keys, key, periods.get(workspaceId));
    }
    if (records.length < pageSize) return;
  }
}

/** Of newest keys first: what is changed on one page moves nothing to another. */
const pageSize = 1000;

async function enforce(
  operation: Operation,
  keys: Records<KeyRecord>,
  key: KeyRecord,
  enforcedDays: number | undefined,
): Promise<void> {
  if (enforcedDays === undefined) return;
  const current = currentRotation(key);
  const next = rotationOf(undefined, { now: operation.now, enforcedDays, current });
  if (next === undefined || JSON.stringify(next) === JSON.stringify(current)) return;
  const scope = { organisationId: key.organisation_id };
  await keys.update(scope, key.id, { rotation: next.rotation, next_rotation_at: next.next_rotation_at });
}

const concerned = ['settings', 'overrides'] as const;

function mayDiffer(before: JsonObject | undefined, after: StoredRecord): boolean {
  if (after.status === 'archived') return false;
  return concerned.some((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after[name]));
}
