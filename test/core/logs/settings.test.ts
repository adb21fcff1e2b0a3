import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readEnvironment } from '../../../core/config/env.ts';
import { logsSettingsOf } from '../../../core/config/log-settings.ts';

const settings = (variables: Record<string, string>, file = {}) => logsSettingsOf(readEnvironment(variables), file);

describe('the settings of the logs', () => {
  it('are a file of its own in DATA_DIR where the records are embedded', () => {
    assert.deepEqual(settings({ DATA_DIR: 'there' }), {
      rows: { kind: 'sqlite', file: 'there/logs.db' },
      maxBodyBytes: 262_144,
      breaker: { failureThreshold: 5, backoffMs: 60_000, timeoutMs: 15_000 },
      retention: { logDays: 90, metricDays: 365 },
    });
  });

  it('are the server of the records where there is one, and nothing where nothing is wanted', () => {
    const rows = settings({ DB_HOST: 'db', DB_USER: 'gw' })?.rows;
    assert.equal(rows?.kind === 'mysql' && rows.store.writer.host, 'db');
    assert.equal(settings({ ANALYTICS_STORE: 'none' }), undefined);
  });

  it('take what the file says, unless a variable says otherwise', () => {
    const file = {
      max_body_bytes: 10,
      retention_days: 7,
      metrics_retention_days: 30,
      failure_threshold: 2,
      backoff: 5,
      timeout: 9,
    };
    const given = settings({ LOG_RETENTION_DAYS: '8', LOG_STORE_CONNECTION_BACKOFF_MS: '6' }, file);
    assert.deepEqual(given?.retention, { logDays: 8, metricDays: 30 });
    assert.deepEqual(given?.breaker, { failureThreshold: 2, backoffMs: 6, timeoutMs: 9 });
    assert.equal(given?.maxBodyBytes, 10);
  });

  it('keep for ever where the days are 0, and take no days that are none', () => {
    const kept = settings({ LOG_RETENTION_DAYS: '0' }, { metrics_retention_days: 0 });
    assert.deepEqual(kept?.retention, { logDays: 0, metricDays: 0 });
    assert.throws(() => settings({ LOG_RETENTION_DAYS: 'many' }), {
      code: 'invalid_config',
      param: 'LOG_RETENTION_DAYS',
    });
  });

  it('find ClickHouse by host, port and TLS', () => {
    const url = (variables: Record<string, string>) => {
      const rows = settings({ ANALYTICS_STORE: 'clickhouse', ...variables })?.rows;
      return rows?.kind === 'clickhouse' ? rows.url : undefined;
    };
    const cases: readonly (readonly [Record<string, string>, string])[] = [
      [{ ANALYTICS_STORE_ENDPOINT: 'ch' }, 'http://ch:8123'],
      [{ ANALYTICS_STORE_ENDPOINT: 'ch', ANALYTICS_STORE_TLS: 'true' }, 'https://ch:8443'],
      [{ ANALYTICS_STORE_ENDPOINT: 'https://ch' }, 'https://ch:8443'],
      [{ ANALYTICS_STORE_ENDPOINT: 'https://ch:443' }, 'https://ch'],
      [{ ANALYTICS_STORE_ENDPOINT: 'http://ch:9000' }, 'http://ch:9000'],
      [{ ANALYTICS_STORE_ENDPOINT: 'ch:9000', ANALYTICS_STORE_PORT: '9001' }, 'http://ch:9001'],
    ];
    for (const [variables, expected] of cases) assert.equal(url(variables), expected);
    assert.throws(() => url({}), { code: 'invalid_config', param: 'ANALYTICS_STORE_ENDPOINT' });
  });

  it('need keys and a bucket for an object store', () => {
    const whole = {
      LOG_STORE: 's3',
      LOG_STORE_ACCESS_KEY: 'id',
      LOG_STORE_SECRET_KEY: 'secret',
      LOG_STORE_GENERATIONS_BUCKET: 'logs',
    };
    assert.deepEqual(settings({ ...whole, LOG_STORE_BASEPATH: '/a/b/', LOG_STORE_FILE_PATH_FORMAT: 'v2' })?.objects, {
      accessKey: 'id',
      secretKey: 'secret',
      bucket: 'logs',
      region: 'us-east-1',
      basePath: 'a/b',
      pathFormat: 'v2',
    });
    for (const name of ['LOG_STORE_ACCESS_KEY', 'LOG_STORE_SECRET_KEY', 'LOG_STORE_GENERATIONS_BUCKET'] as const) {
      const { [name]: _, ...rest } = whole;
      assert.throws(() => settings(rest), { code: 'invalid_config', param: name });
    }
  });
});
