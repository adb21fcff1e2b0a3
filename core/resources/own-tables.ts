import { type Db, GatewayError } from 'portcullis/sdk';

/** A query builder that refuses the tables of others: they have resources for that. */
export function ownTables(db: Db, plugin: string, tables: ReadonlySet<string>): Db {
  const check = (table: unknown): void => {
    const name = typeof table === 'string' ? (table.split(/\s+as\s+/i)[0] ?? '').trim() : undefined;
    if (name !== undefined && tables.has(name)) return;
    throw new GatewayError(
      'internal',
      `The plugin ${plugin} may not query the table ${name ?? '(not named by a string)'}: its plugin.json does not list it.`,
    );
  };
  return new Proxy(db, {
    apply: (target, _, args) => {
      check(args[0]);
      return Reflect.apply(target as (...values: unknown[]) => unknown, undefined, args);
    },
    get: (target, name) => {
      if (name === 'from' || name === 'table' || name === 'into') {
        return (table: unknown) => {
          check(table);
          return (target as (table: unknown) => unknown)(table);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
