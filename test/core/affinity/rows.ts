import { type AffinityRow, hashOf } from '../../../core/affinity/rows.ts';

/** Epoch milliseconds. */
export const start = Date.UTC(2026, 0, 1);

export function rowOf(id: string, scope: string, fields: Partial<AffinityRow> = {}): AffinityRow {
  const createdAt = start / 1000;
  return {
    idHash: hashOf(id),
    scope,
    kind: 'file',
    target: 'a'.repeat(64),
    provider: 'openai',
    createdAt,
    expiresAt: createdAt + 3_600,
    ...fields,
  };
}
