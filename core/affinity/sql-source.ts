import type { Job } from 'portcullis/sdk';
import type { Store } from '../store/store.ts';
import { type AffinityRow, keyText, type ObjectKind } from './rows.ts';
import { type AffinitySource, mostAtOnce, parts } from './source.ts';
import { affinityTable as table } from './tables.ts';

const rowsAtOnce = 100;

interface StoredRow {
  readonly id_hash: string;
  readonly scope: string;
  readonly kind: string;
  readonly target: string;
  readonly provider: string;
  readonly provider_slug: string | null;
  readonly created_at: number | string;
  readonly expires_at: number | string;
}

/** Rows in the store's own table. @param now epoch milliseconds */
export function sqlAffinitySource({ db }: Pick<Store, 'db'>, now: () => number): AffinitySource {
  return {
    find: async (idHashes) => {
      const found: AffinityRow[] = [];
      for (const part of parts(idHashes, mostAtOnce)) {
        const rows = (await db(table)
          .whereIn('id_hash', part)
          .andWhere('expires_at', '>', Math.floor(now() / 1000))) as readonly StoredRow[];
        found.push(...rows.map(rowOf));
      }
      return found;
    },
    write: async ({ rows, forgotten }) => {
      // In one order everywhere, so that two writers wait for each other instead of both waiting.
      const ordered = rows.toSorted((one, other) => (keyText(one) < keyText(other) ? -1 : 1));
      for (const part of parts(ordered, rowsAtOnce)) {
        await db(table).insert(part.map(storedOf)).onConflict(['id_hash', 'scope']).merge();
      }
      for (const part of parts(forgotten, rowsAtOnce)) {
        await db(table)
          .whereIn(
            ['id_hash', 'scope'],
            part.map(({ idHash, scope }) => [idHash, scope]),
          )
          .delete();
      }
    },
  };
}

function storedOf(row: AffinityRow): StoredRow {
  return {
    id_hash: row.idHash,
    scope: row.scope,
    kind: row.kind,
    target: row.target,
    provider: row.provider,
    provider_slug: row.providerSlug ?? null,
    created_at: row.createdAt,
    expires_at: row.expiresAt,
  };
}

function rowOf(row: StoredRow): AffinityRow {
  return {
    idHash: row.id_hash,
    scope: row.scope,
    kind: row.kind as ObjectKind,
    target: row.target,
    provider: row.provider,
    ...(row.provider_slug === null ? {} : { providerSlug: row.provider_slug }),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}

const prunedAtOnce = 1_000;
/** Of one run: what is left over waits for the next hour. */
const mostPrunings = 500;

/** Removes the rows that have expired. @param now epoch milliseconds */
export function expiredAffinityJob({ db }: Pick<Store, 'db'>, now: () => number): Job {
  return {
    name: 'core.expired-affinity',
    schedule: '35 * * * *',
    async run() {
      const before = Math.floor(now() / 1000);
      for (let round = 0; round < mostPrunings; round += 1) {
        const expired = (await db(table)
          .select('id_hash', 'scope')
          .where('expires_at', '<=', before)
          .orderBy('expires_at')
          .limit(prunedAtOnce)) as readonly Pick<StoredRow, 'id_hash' | 'scope'>[];
        for (const part of parts(expired, rowsAtOnce)) {
          await db(table)
            .whereIn(
              ['id_hash', 'scope'],
              part.map(({ id_hash, scope }) => [id_hash, scope]),
            )
            .andWhere('expires_at', '<=', before)
            .delete();
        }
        if (expired.length < prunedAtOnce) return;
      }
    },
  };
}
