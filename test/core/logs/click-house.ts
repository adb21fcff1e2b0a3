import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { packBatch } from '../../../core/logs/batch-writer.ts';
import { clickHouseEngine, clickHouseQuerySettings } from '../../../core/logs/clickhouse/engine.ts';
import type { ClickHouseSettings } from '../../../core/logs/settings.ts';
import type { OpenLogs } from './stores.ts';

export const clickHouseSettings: ClickHouseSettings = {
  kind: 'clickhouse',
  url: 'http://127.0.0.1:8123',
  user: 'default',
  password: '',
  database: 'default',
  // Merges drop what is older at once, and the requests of the tests are old.
  retention: { logDays: 10_000, metricDays: 10_000 },
};

let client: ClickHouseClient | undefined;
let databases = 0;

/** A database of its own in the engine of ClickHouse that runs in this process; there can be one of it. */
export async function clickHouse(): Promise<OpenLogs> {
  client ??= embedded();
  const database = `logs_${++databases}`;
  await client.command({ query: `CREATE DATABASE ${database}` });
  await client.command({ query: `USE ${database}` });
  const engine = await clickHouseEngine(client, clickHouseSettings, { bodies: 'row' });
  return {
    store: engine,
    write: async (entries, feedback = []) => {
      await engine.write(packBatch(entries, feedback));
    },
    close: async () => {},
  };
}

export function embedded(): ClickHouseClient {
  const path = mkdtempSync(join(tmpdir(), 'portcullis-chdb-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return createClient({
    connection: createChdbConnection({ path }),
    clickhouse_settings: clickHouseQuerySettings,
    log: { level: 127 },
  } as never);
}
