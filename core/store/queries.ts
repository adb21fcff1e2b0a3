import type { Knex } from 'knex';
import type { Log } from 'portcullis/sdk';
import { StoreTimeout } from './failures.ts';

/** What knex hands to a dialect's `_query`, and takes back with the answer filled in. */
export interface Query {
  sql: string;
  bindings?: readonly unknown[];
  options?: object;
  response?: unknown;
  context?: unknown;
}

/** With a single connection, a query beside the running transaction would wait for it for ever. */
export const acquireTimeoutMs = 3000;

/** knex's timeout as ours, with the likely reason. */
export async function acquireOrExplain<T>(config: Knex.Config, acquire: () => Promise<T>): Promise<T> {
  try {
    return await acquire();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'KnexTimeoutError') throw error;
    const text = `No connection to the database was free within ${config.acquireConnectionTimeout} ms. The store is overloaded, or it was asked beside the transaction that the asking code runs in.`;
    throw new StoreTimeout(text, { cause: error });
  }
}

const quietMs = 5000;

/** What every knex of the store has in common. */
export function commonConfig(log: Log): Knex.Config {
  let quietUntil = 0;
  let unsaid = 0;
  // While the server is away each connection that fails says so.
  const note = (level: 'warn' | 'error') => (message: unknown) => {
    const now = performance.now();
    if (now < quietUntil) {
      unsaid += 1;
      return;
    }
    log[level]('store_driver', { message: String(message).split('\n', 1)[0] ?? '', unsaid });
    quietUntil = now + quietMs;
    unsaid = 0;
  };
  return {
    acquireConnectionTimeout: acquireTimeoutMs,
    // Messages of errors would hold the bindings, secrets among them.
    compileSqlOnError: false,
    log: { warn: note('warn'), error: note('error'), deprecate: () => {}, debug: () => {} },
  };
}
