import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isConflict } from './failures.ts';

const attempts = 12;
const firstPauseMs = 4;
const longestPauseMs = 250;

/** Runs the work in a transaction, and again when the database undid it for the sake of another one. */
export async function runTransaction<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(db, work);
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error;
      await sleep(Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempt));
    }
  }
}

/** The work's own error is what is told: when the connection is gone, the rollback fails too, and says less. */
async function once<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  let thrown: { readonly error: unknown } | undefined;
  try {
    return await db.transaction(async (trx) => {
      try {
        return await work(trx);
      } catch (error) {
        thrown = { error };
        throw error;
      }
    });
  } catch (error) {
    throw thrown === undefined ? error : thrown.error;
  }
}
