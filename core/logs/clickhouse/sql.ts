import type { ClickHouseClient } from '@clickhouse/client';
import type { Stored, StoredRow } from '../rows.ts';
import type { QuerySql } from '../sql/sql.ts';

/** The queries of the logs on ClickHouse: each mark becomes a typed parameter. */
export function clickHouseSql(client: ClickHouseClient): QuerySql {
  return {
    dialect: 'clickhouse',
    all: async (text, values = []) => {
      let place = 0;
      const query = text.replace(/\?/g, () => {
        const value = values[place] ?? null;
        return `{p${place++}:${typeOf(value)}}`;
      });
      const parameters = Object.fromEntries(values.map((value, index) => [`p${index}`, value]));
      const found = await client.query({ query, query_params: parameters, format: 'JSONEachRow' });
      return (await found.json()) as readonly StoredRow[];
    },
  };
}

function typeOf(value: Stored): string {
  if (typeof value !== 'number') return 'String';
  return Number.isInteger(value) ? 'Int64' : 'Float64';
}
