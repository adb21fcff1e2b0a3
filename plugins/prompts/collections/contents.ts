import { type Db, GatewayError, type Operation } from 'portcullis/sdk';
import type { CollectionRecord } from './table.ts';

/** What lies directly in a collection. */
export interface Contents {
  readonly total: number;
  /** Epoch milliseconds of the latest change; undefined where there is nothing. */
  readonly latest: number | undefined;
}

/** The tables whose rows lie in collections, with the column that says in which. */
const holders = {
  collections: 'parent_collection_id',
  prompts: 'collection_id',
  prompt_partials: 'collection_id',
} as const;

const nouns = { collections: 'collection', prompts: 'prompt', prompt_partials: 'partial' } as const;

const nothing: Contents = { total: 0, latest: undefined };

/** What lives in each of the collections, archived things not counted: one question for all of them. */
export async function contentsOf(
  db: Db,
  table: keyof typeof holders,
  organisationId: string,
  ids: readonly string[],
): Promise<(id: string) => Contents> {
  const column = holders[table];
  const rows: { in: string; total: number; latest: number }[] = await db(table)
    .where({ organisation_id: organisationId })
    .whereIn(column, ids)
    .whereNot('status', 'archived')
    .groupBy(column)
    .select({ in: column })
    .count({ total: '*' })
    .max({ latest: 'last_updated_at' });
  const known = new Map(rows.map((row) => [row.in, { total: Number(row.total), latest: Number(row.latest) }]));
  return (id) => known.get(id) ?? nothing;
}

/** @throws GatewayError `conflict` that says how much is in the way, `not_found` for the default collection */
export async function refuseWhileFilled({ db }: Operation, record: CollectionRecord): Promise<void> {
  const { id, organisation_id } = record;
  if (record.default_of !== null) {
    throw new GatewayError(
      'not_found',
      'This is the default collection of its workspace, which cannot be deleted; any other collection can.',
      { param: 'id' },
    );
  }
  // Whoever is putting something into it is waited for.
  await db('collections').where({ id }).forUpdate().first('id');
  const left: string[] = [];
  for (const table of ['collections', 'prompts', 'prompt_partials'] as const) {
    const { total } = (await contentsOf(db, table, organisation_id, [id]))(id);
    if (total > 0) left.push(`${total} ${nouns[table]}${total === 1 ? '' : 's'}`);
  }
  if (left.length === 0) return;
  throw new GatewayError(
    'conflict',
    `The collection still holds ${left.join(', ')}: delete them first, or move what can be moved to another collection.`,
    { param: 'id' },
  );
}
