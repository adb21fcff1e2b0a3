import type { AffinityKey, AffinityRow } from './rows.ts';

/** What one process has learned since its last write. No key stands in both. */
export interface AffinityChanges {
  readonly rows: readonly AffinityRow[];
  readonly forgotten: readonly AffinityKey[];
}

/** Where rows are kept beyond this process. Rejects when it cannot be asked. */
export interface AffinitySource {
  /** The rows of some ids, of every scope; without those that have expired. */
  find(idHashes: readonly string[]): Promise<readonly AffinityRow[]>;
  /** A row takes the place of an older one. May be repeated. */
  write(changes: AffinityChanges): Promise<void>;
}

/** At most so many ids in one question, and keys in one write. */
export const mostAtOnce = 500;

export function parts<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, index) => all.slice(index * size, (index + 1) * size));
}
