declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import { Knex } from 'knex';

  /** Its `_query` and `acquireRawConnection` are replaced; schema and query compilers are what is wanted of it. */
  export default class extends Knex.Client {}
}

declare module 'knex/lib/dialects/mysql2/index.js' {
  import { Knex } from 'knex';

  export default class extends Knex.Client {
    isMariaDB?: boolean;
  }
}

declare module 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js' {
  export default class {
    constructor(...args: readonly unknown[]);
    protected query(connection: unknown, sql: string): Promise<unknown>;
  }
}
