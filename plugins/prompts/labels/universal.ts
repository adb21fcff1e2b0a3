import { GatewayError, type Operation } from 'portcullis/sdk';
import type { LabelRecord } from './table.ts';

/** What every organisation has, in each of its workspaces. */
export const universalNames: readonly string[] = ['production', 'staging', 'development'];

/** An organisation gets them when its labels are first looked at. */
export async function makeUniversal(operation: Operation): Promise<void> {
  const { organisationId } = operation.scope;
  const labels = operation.records<LabelRecord>('labels');
  const { records } = await labels.list({ organisationId }, { where: { is_universal: true } });
  const known = new Set(records.map(({ name }) => name));
  for (const name of universalNames) {
    if (known.has(name)) continue;
    await labels
      .create({ organisationId }, { name, place: '', is_universal: true, created_by: null })
      .catch((error: unknown) => {
        // Somebody else has made it in between.
        if (!GatewayError.is(error) || error.code !== 'conflict') throw error;
      });
  }
}

/** @throws GatewayError `conflict` */
export function refuseUniversal({ name, is_universal }: LabelRecord): void {
  if (!is_universal) return;
  throw new GatewayError('conflict', `${name} is a universal label, which can be neither changed nor deleted.`, {
    param: 'id',
  });
}
