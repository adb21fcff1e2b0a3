import { type Db, GatewayError } from 'portcullis/sdk';
import { isUnavailable } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import { type CounterSource, type CountKey, keyText, mostUsed, type UsageBatch } from './counter-source.ts';
import { countersTable as table, writersTable } from './tables.ts';

// Rows of one statement: SQLite takes 32,766 values.
const rowsAtOnce = 100;
const writerKeptMs = 30 * 86_400_000;
// What a writer left behind is cleared away now and then.
const batchesBetweenClearing = 1_000;

interface Row {
  readonly organisation_id: string;
  readonly name: string;
  readonly start: number | string;
  readonly used: number | string;
  readonly changed_at: number | string;
}

/** Durable counts in the store's own table. @param now epoch milliseconds */
export function sqlCounterSource(store: Store, now: () => number): CounterSource {
  const { db } = store;
  return {
    load: (counts) => told(() => load(db, counts)),
    add: (batch) => told(() => store.transaction((trx) => add(trx, store.dialect, batch, now()))),
    set: (count, used) => told(() => set(db, store.dialect, count, used, now())),
    list: (organisationId, prefix, start, limit, offset) =>
      told(async () => {
        const found = db(table)
          .where({ organisation_id: organisationId, ...(start === undefined ? {} : { start }) })
          .andWhereRaw("?? like ? escape '!'", ['name', `${prefix.replace(/[!%_]/g, '!$&')}%`]);
        const [total, rows] = await Promise.all([
          found.clone().count({ total: '*' }) as Promise<readonly { readonly total: number | string }[]>,
          found
            .clone()
            .orderBy([{ column: 'changed_at', order: 'desc' }, { column: 'name' }, { column: 'start', order: 'desc' }])
            .limit(limit)
            .offset(offset) as Promise<readonly Row[]>,
        ]);
        return { total: Number(total[0]?.total ?? 0), counts: rows.map(countOf) };
      }),
    changedSince: (at, limit) =>
      told(async () => {
        const rows = (await db(table)
          .where('changed_at', '>=', at)
          .orderBy(['changed_at', 'organisation_id', 'name', 'start'])
          .limit(limit)) as readonly Row[];
        return rows.map(countOf);
      }),
  };
}

async function load(db: Db, counts: readonly CountKey[]): Promise<readonly number[]> {
  const known = new Map<string, number>();
  for (const part of parts(counts)) {
    const rows = (await db(table)
      .select('organisation_id', 'name', 'start', 'used')
      .whereIn(
        ['organisation_id', 'name', 'start'],
        part.map(({ organisationId, name, start }) => [organisationId, name, start]),
      )) as readonly Row[];
    for (const row of rows) {
      const count = countOf(row);
      known.set(keyText(count), count.used);
    }
  }
  return counts.map((count) => known.get(keyText(count)) ?? 0);
}

async function add(trx: Db, dialect: Store['dialect'], batch: UsageBatch, now: number): Promise<void> {
  if (!(await isNew(trx, batch, now))) return;
  // In one order everywhere, so that two writers wait for each other instead of both waiting.
  const rows = batch.deltas
    .toSorted((one, other) => (keyText(one) < keyText(other) ? -1 : 1))
    .map(({ organisationId, name, start, amount }) => ({
      organisation_id: organisationId,
      name,
      start,
      used: Math.min(amount, mostUsed),
      changed_at: now,
    }));
  const sum = `${table}.used + ${given(dialect, 'used')}`;
  for (const part of parts(rows)) {
    await trx(table)
      .insert(part)
      .onConflict(['organisation_id', 'name', 'start'])
      .merge({
        used: trx.raw(`case when ${sum} > ${mostUsed} then ${mostUsed} else ${sum} end`),
        changed_at: trx.raw(laterChange(dialect)),
      });
  }
  if (batch.number % batchesBetweenClearing === 0) {
    await trx(writersTable)
      .where('changed_at', '<', now - writerKeptMs)
      .delete();
  }
}

/** Whether the batch was not added before: its answer may have got lost. */
async function isNew(trx: Db, { writer, number }: UsageBatch, now: number): Promise<boolean> {
  await trx(writersTable).insert({ id: writer, batch: 0, changed_at: now }).onConflict('id').ignore();
  const changed: unknown = await trx(writersTable)
    .where({ id: writer })
    .andWhere('batch', '<', number)
    .update({ batch: number, changed_at: now });
  return Number(changed) === 1;
}

async function set(
  db: Db,
  dialect: Store['dialect'],
  { organisationId, name, start }: CountKey,
  used: number,
  now: number,
): Promise<void> {
  await db(table)
    .insert({ organisation_id: organisationId, name, start, used: Math.min(used, mostUsed), changed_at: now })
    .onConflict(['organisation_id', 'name', 'start'])
    .merge({ used: db.raw(given(dialect, 'used')), changed_at: db.raw(laterChange(dialect)) });
}

/** The value that was to be inserted. */
function given(dialect: Store['dialect'], column: string): string {
  return dialect === 'mysql' ? `values(${column})` : `excluded.${column}`;
}

/** A writer whose clock is behind must not hide its change from those who have seen a later one. */
function laterChange(dialect: Store['dialect']): string {
  const now = given(dialect, 'changed_at');
  return `case when ${table}.changed_at > ${now} then ${table}.changed_at else ${now} end`;
}

function countOf({ organisation_id, name, start, used, changed_at }: Row) {
  return {
    organisationId: organisation_id,
    name,
    start: Number(start),
    used: Number(used),
    changedAt: Number(changed_at),
  };
}

function parts<T>(all: readonly T[]): readonly T[][] {
  const count = Math.ceil(all.length / rowsAtOnce);
  return Array.from({ length: count }, (_, index) => all.slice(index * rowsAtOnce, (index + 1) * rowsAtOnce));
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isUnavailable(cause)) throw cause;
    throw new GatewayError('not_ready', 'The database cannot be asked at the moment.', { cause });
  }
}
