import { type ClickHouseClient, createClient } from '@clickhouse/client';
import type { LogStore } from 'portcullis/sdk';
import type { EngineOptions, LogEngine } from '../engine.ts';
import type { ClickHouseSettings } from '../settings.ts';
import { aggregate } from '../sql/aggregate.ts';
import { feedbackGroups } from '../sql/feedback.ts';
import type { QuerySql } from '../sql/sql.ts';
import { lifetimeChanges } from './lifetimes.ts';
import { findEntry, listEntries } from './read.ts';
import { clickHouseTables } from './schema.ts';
import { clickHouseSql } from './sql.ts';
import { insert, writeBatch } from './write.ts';

/** What every query of the logs counts on. */
export const clickHouseQuerySettings = {
  // Of rows that came twice, one counts.
  final: 1,
  prefer_column_name_to_alias: 1,
  output_format_json_quote_64bit_integers: 0,
} as const;

export function clickHouseClient(
  { url, user, password, database }: ClickHouseSettings,
  timeoutMs: number,
): ClickHouseClient {
  return createClient({
    url,
    username: user,
    password,
    database,
    request_timeout: timeoutMs,
    application: 'portcullis',
    clickhouse_settings: clickHouseQuerySettings,
    log: { level: 127 },
  });
}

/** Logs in ClickHouse. @throws when it cannot be reached, or the tables cannot be made */
export async function clickHouseEngine(
  client: ClickHouseClient,
  settings: ClickHouseSettings,
  { bodies, objects }: EngineOptions,
): Promise<LogEngine> {
  const sql = clickHouseSql(client);
  try {
    for (const query of clickHouseTables(settings)) await client.command({ query });
    for (const query of lifetimeChanges(settings, await tablesMade(sql))) await client.command({ query });
  } catch (error) {
    await client.close();
    throw error;
  }
  return {
    write: async (batch) => {
      await writeBatch(client, batch, bodies, Date.now());
      return { count: 0 };
    },
    find: (organisationId, id) => findEntry(sql, organisationId, id, objects),
    list: (filter, page) => listEntries(sql, filter, page, objects),
    aggregate: (query) => aggregate(sql, query),
    feedbackBy: (filter, by, stepMs) => feedbackGroups(sql, filter, by, stepMs),
    updateFeedback: (scope, id, changes) => changeFeedback(client, sql, scope, id, changes),
    prune: (before) => prune(client, sql, before),
    close: async () => {
      await client.close();
      await objects?.close();
    },
  };
}

/** The statement that makes each table as it is, by its name. */
async function tablesMade(sql: QuerySql): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.all('SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase()');
  return new Map(rows.map(({ name, create_table_query: query }) => [String(name), String(query)]));
}

/** A later version of the row takes the place of the one before. */
async function changeFeedback(
  client: ClickHouseClient,
  sql: QuerySql,
  { organisationId, workspaceId }: Parameters<LogStore['updateFeedback']>[0],
  id: string,
  { value, weight, metadata }: Parameters<LogStore['updateFeedback']>[2],
): Promise<boolean> {
  const [found] = await sql.all('SELECT * FROM feedback WHERE organisation_id = ? AND id = ?', [organisationId, id]);
  if (found === undefined || (workspaceId !== undefined && found.workspace_id !== workspaceId)) return false;
  const changed = {
    ...found,
    value,
    ...(weight === undefined ? {} : { weight }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
    version: Math.max(Date.now(), Number(found.version) + 1),
  };
  await insert(client, 'feedback', [changed]);
  return true;
}

/** Merges drop by themselves what is older than the days of the settings; this is for what is asked beyond them. */
async function prune(
  client: ClickHouseClient,
  sql: QuerySql,
  { logs, metrics }: Parameters<LogStore['prune']>[0],
): Promise<number> {
  const gone = await sql.all(
    'SELECT count() AS gone FROM logs l WHERE l.created_at < ? AND l.created_at >= (SELECT max(moment) FROM log_cut)',
    [logs],
  );
  await insert(client, 'log_cut', [{ moment: Math.round(logs) }]);
  for (const [table, before] of [
    ['log_bodies', logs],
    ['feedback', logs],
    ['logs', Math.min(logs, metrics)],
  ] as const) {
    await client.command({
      query: `DELETE FROM ${table} WHERE created_at < {before:Int64}`,
      query_params: { before: Math.round(before) },
      clickhouse_settings: { final: 0 },
    });
  }
  return Number(gone[0]?.gone);
}
