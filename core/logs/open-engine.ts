import type { Log } from 'portcullis/sdk';
import type { EngineOptions, LogEngine, ObjectReader } from './engine.ts';
import type { LogsSettings, ObjectSettings } from './settings.ts';
import type { SqlDatabase } from './sql/sql.ts';

/**
 * Opens the database of the settings; a thread loads the code of that one alone. One that only reads expects its tables to be there.
 * @throws when it cannot be opened or reached now
 */
export async function openEngine(settings: LogsSettings, readOnly: boolean, log: Log): Promise<LogEngine> {
  const { rows, objects, breaker } = settings;
  const options = {
    bodies: objects?.pathFormat ?? ('row' as const),
    ...(objects === undefined ? {} : { objects: await openObjects(objects, breaker.timeoutMs, log) }),
  };
  switch (rows.kind) {
    case 'sqlite': {
      const { openSqlite } = await import('./sql/sqlite.ts');
      return sqlLogs(openSqlite(rows.file, readOnly), options, readOnly);
    }
    case 'mysql': {
      const { openMysql } = await import('./sql/mysql.ts');
      return sqlLogs(await openMysql({ ...rows.store, queryTimeoutMs: breaker.timeoutMs }, log), options, readOnly);
    }
    case 'clickhouse': {
      const { clickHouseClient, clickHouseEngine } = await import('./clickhouse/engine.ts');
      return clickHouseEngine(clickHouseClient(rows, breaker.timeoutMs), rows, options);
    }
  }
}

async function sqlLogs(database: SqlDatabase, options: EngineOptions, readOnly: boolean): Promise<LogEngine> {
  const { sqlEngine } = await import('./sql/engine.ts');
  return sqlEngine(database, options, readOnly);
}

async function openObjects(settings: ObjectSettings, timeoutMs: number, log: Log): Promise<ObjectReader> {
  const { objectStore } = await import('./objects/object-store.ts');
  return objectStore(settings, timeoutMs, ({ id }) => log.warn('log_bodies_damaged', { id }));
}
