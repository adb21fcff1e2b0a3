import { asArray, asObject, type Db, type Job, type JsonObject, parseJson } from 'portcullis/sdk';
import type { Store } from '../store/store.ts';
import {
  type BatchFault,
  type BatchStatus,
  type BatchTimes,
  type FileKind,
  keptSeconds,
  type StoredBatch,
} from './batch.ts';
import type { BatchRecords } from './records.ts';
import { batchTable, pieceTable } from './tables.ts';

interface Row {
  readonly id: string;
  readonly scope: string;
  readonly holder: string;
  readonly status: string;
  readonly created_at: number | string;
  readonly cancelling_at: number | string | null;
  readonly heartbeat_at: number | string;
  readonly facts: string;
}

const unfinished = ['validating', 'in_progress', 'finalizing'];

/** Batches in the store's own tables. */
export function sqlBatchRecords({ db, transaction }: Pick<Store, 'db' | 'transaction'>): BatchRecords {
  const one = async (from: Db, id: string): Promise<StoredBatch | undefined> => {
    const row = (await from(batchTable).where({ id }).first()) as Row | undefined;
    return row === undefined ? undefined : batchOf(row);
  };
  return {
    insert: async (batch) => {
      await db(batchTable).insert(rowOf(batch));
    },
    find: (id) => one(db, id),
    list: async (scope, limit, after) => {
      const query = db(batchTable)
        .where({ scope })
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1);
      if (after !== undefined) {
        const { createdAt, id } = after;
        query.andWhere((older) =>
          older
            .where('created_at', '<', createdAt)
            .orWhere((same) => same.where('created_at', createdAt).andWhere('id', '<', id)),
        );
      }
      const rows = (await query) as readonly Row[];
      return { batches: rows.slice(0, limit).map(batchOf), more: rows.length > limit };
    },
    save: (batch, pieces) =>
      transaction(async (trx) => {
        const { id, holder } = batch;
        const { cancelling_at: _, ...row } = rowOf(batch);
        const changed: unknown = await trx(batchTable).where({ id, holder }).whereIn('status', unfinished).update(row);
        if (Number(changed) !== 1) return undefined;
        for (const { kind, number, text } of pieces) {
          await trx(pieceTable)
            .insert({ batch_id: id, kind, number, content: text })
            .onConflict(['batch_id', 'kind', 'number'])
            .merge();
        }
        return one(trx, id);
      }),
    cancel: async (id, at) => {
      await db(batchTable)
        .where({ id })
        .whereIn('status', unfinished)
        .whereNull('cancelling_at')
        .update({ cancelling_at: at });
    },
    takeOver: async (batch) => {
      const { id, heartbeatAt } = batch;
      await db(batchTable).where({ id, heartbeat_at: heartbeatAt }).whereIn('status', unfinished).update(rowOf(batch));
    },
    async *content(id, kind) {
      for (let number = 0; ; number += 1) {
        const piece = (await db(pieceTable).where({ batch_id: id, kind, number }).first('content')) as
          | { readonly content: string }
          | undefined;
        if (piece === undefined) return;
        yield Buffer.from(piece.content);
      }
    },
    removeFile: (id, kind) =>
      transaction(async (trx) => {
        const batch = await one(trx, id);
        if (batch === undefined) return;
        await trx(pieceTable).where({ batch_id: id, kind }).delete();
        const { facts } = rowOf({ ...batch, bytes: { ...batch.bytes, [kind]: 0 } });
        await trx(batchTable).where({ id }).update({ facts });
      }),
  };
}

function rowOf(batch: StoredBatch): Row {
  const { expiresAt, endpoint, inputFileId, metadata, times, counts, faults, bytes } = batch;
  return {
    id: batch.id,
    scope: batch.scope,
    holder: batch.holder,
    status: batch.status,
    created_at: batch.createdAt,
    cancelling_at: batch.cancellingAt ?? null,
    heartbeat_at: batch.heartbeatAt,
    facts: JSON.stringify({ expiresAt, endpoint, inputFileId, metadata, times, counts, faults, bytes }),
  };
}

function batchOf(row: Row): StoredBatch {
  const facts: JsonObject = asObject(parseJson(row.facts)) ?? {};
  const { counts, bytes, times } = { counts: asObject(facts.counts), bytes: asObject(facts.bytes), times: facts.times };
  return {
    id: row.id,
    scope: row.scope,
    holder: row.holder,
    status: row.status as BatchStatus,
    createdAt: Number(row.created_at),
    expiresAt: Number(facts.expiresAt),
    cancellingAt: row.cancelling_at === null ? undefined : Number(row.cancelling_at),
    heartbeatAt: Number(row.heartbeat_at),
    endpoint: String(facts.endpoint),
    inputFileId: String(facts.inputFileId),
    metadata: asObject(facts.metadata) ?? null,
    times: (asObject(times) ?? {}) as BatchTimes,
    counts: {
      total: Number(counts?.total ?? 0),
      completed: Number(counts?.completed ?? 0),
      failed: Number(counts?.failed ?? 0),
    },
    faults: asArray(facts.faults) as unknown as readonly BatchFault[],
    bytes: { output: Number(bytes?.output ?? 0), error: Number(bytes?.error ?? 0) } satisfies Record<FileKind, number>,
  };
}

const prunedAtOnce = 20;
const piecesAtOnce = 50;

/** Removes the batches that are older than a month, with their files. @param now epoch milliseconds */
export function oldBatchesJob({ db }: Pick<Store, 'db'>, now: () => number): Job {
  return {
    name: 'core.old-batches',
    schedule: '50 * * * *',
    async run() {
      const before = Math.floor(now() / 1000) - keptSeconds;
      for (;;) {
        const old = (await db(batchTable)
          .select('id')
          .where('created_at', '<', before)
          .limit(prunedAtOnce)) as readonly Pick<Row, 'id'>[];
        for (const { id } of old) await removeBatch(db, id);
        if (old.length < prunedAtOnce) return;
      }
    },
  };
}

/** Piece by piece, so that no statement takes long. */
async function removeBatch(db: Db, id: string): Promise<void> {
  for (;;) {
    const pieces = (await db(pieceTable)
      .select('kind', 'number')
      .where({ batch_id: id })
      .limit(piecesAtOnce)) as readonly {
      readonly kind: string;
      readonly number: number;
    }[];
    for (const piece of pieces)
      await db(pieceTable)
        .where({ batch_id: id, ...piece })
        .delete();
    if (pieces.length < piecesAtOnce) break;
  }
  await db(batchTable).where({ id }).delete();
}
