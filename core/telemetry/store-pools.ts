import type { Store } from '../store/store.ts';
import type { CoreSources } from './core-gauges.ts';

/** What knex says of its pool, which its types leave open. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

type StorePools = ReturnType<NonNullable<CoreSources['store']>>;

/** The pools of a store: one where it has no replica. */
export function storePools({ db, reader }: Pick<Store, 'db' | 'reader'>): StorePools {
  return [poolOf('writer', db), ...(reader === db ? [] : [poolOf('reader', reader)])];
}

function poolOf(pool: string, { client }: Store['db']): StorePools[number] {
  const { pool: connections } = client as { readonly pool: Pool };
  return {
    pool,
    used: connections.numUsed(),
    free: connections.numFree(),
    waiting: connections.numPendingAcquires(),
  };
}
