import type { Knex } from 'knex';

/** A query builder over the tables that the plugin's manifest lists, inside the running transaction where there is one. */
export type Db = Knex | Knex.Transaction;

export type { Knex };

/** One step of a schema, in either dialect. Steps run once each, in the order of their names, under a lock. */
export interface Migration {
  /** Such as `001_api_keys`; unique in its plugin, never changed once released. */
  readonly name: string;
  up(db: Knex): Promise<void>;
}
