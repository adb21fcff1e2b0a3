import { join } from 'node:path';
import { GatewayError } from 'portcullis/sdk';
import type { ClickHouseSettings, LogsSettings, ObjectSettings, RowsSettings } from '../logs/settings.ts';
import { dataDirOf, storeOptionsOf } from '../store/options.ts';
import { type EnvironmentValues, environmentTable } from './env.ts';
import type { OperatorFile } from './file-schema.ts';

type Name = keyof EnvironmentValues;
type Value<N extends Name> = NonNullable<EnvironmentValues[N]>;

/**
 * Where requests are logged, by the environment and what the operator's file says under `logs`; undefined: nowhere.
 * @throws GatewayError `invalid_config` when something is missing that goes with ANALYTICS_STORE or LOG_STORE
 */
export function logsSettingsOf(
  environment: EnvironmentValues,
  file: OperatorFile['logs'] = {},
): LogsSettings | undefined {
  const pick = <N extends Name>(name: N, inFile?: Value<N>): Value<N> =>
    environment[name] ?? inFile ?? (environmentTable[name].default as Value<N>);
  const retention = {
    logDays: pick('LOG_RETENTION_DAYS', file.retention_days),
    metricDays: pick('METRICS_RETENTION_DAYS', file.metrics_retention_days),
  };
  const kind = pick('ANALYTICS_STORE');
  if (kind === 'none') return undefined;
  const objects = pick('LOG_STORE') === 's3' ? objectSettings(environment, pick) : undefined;
  return {
    rows: kind === 'clickhouse' ? clickHouse(environment, pick, retention) : recordsRows(environment),
    ...(objects === undefined ? {} : { objects }),
    maxBodyBytes: pick('LOG_MAX_BODY_BYTES', file.max_body_bytes),
    breaker: {
      failureThreshold: pick('LOG_STORE_CONNECTION_FAILURE_THRESHOLD', file.failure_threshold),
      backoffMs: pick('LOG_STORE_CONNECTION_BACKOFF_MS', file.backoff),
      timeoutMs: pick('LOG_STORE_CONNECTION_TIMEOUT_MS', file.timeout),
    },
    retention,
  };
}

type Pick = <N extends Name>(name: N) => Value<N>;

function recordsRows(environment: EnvironmentValues): RowsSettings {
  const store = storeOptionsOf(environment);
  if (store.kind === 'mysql') return { kind: 'mysql', store };
  return { kind: 'sqlite', file: join(dataDirOf(environment), 'logs.db') };
}

function clickHouse(
  environment: EnvironmentValues,
  pick: Pick,
  retention: ClickHouseSettings['retention'],
): ClickHouseSettings {
  const endpoint = needed(environment, 'ANALYTICS_STORE_ENDPOINT', 'ANALYTICS_STORE=clickhouse');
  const { ANALYTICS_STORE_TLS: tls, ANALYTICS_STORE_PORT: port } = environment;
  const secure = tls ?? endpoint.startsWith('https://');
  const place = `${secure ? 'https' : 'http'}://${endpoint.replace(/^https?:\/\//, '')}`;
  if (!URL.canParse(place)) {
    throw new GatewayError('invalid_config', 'ANALYTICS_STORE_ENDPOINT must be a host or a URL.', {
      param: 'ANALYTICS_STORE_ENDPOINT',
    });
  }
  const url = new URL(place);
  if (port !== undefined) url.port = String(port);
  // A port that the scheme implies is not told apart from none.
  else if (url.port === '' && !/:\d+$/.test(place)) url.port = secure ? '8443' : '8123';
  return {
    kind: 'clickhouse',
    url: url.origin,
    user: pick('ANALYTICS_STORE_USER'),
    password: environment.ANALYTICS_STORE_PASSWORD ?? '',
    database: pick('ANALYTICS_STORE_DATABASE'),
    retention,
  };
}

function objectSettings(environment: EnvironmentValues, pick: Pick): ObjectSettings {
  const { LOG_STORE_ENDPOINT: endpoint } = environment;
  const given = (name: 'LOG_STORE_ACCESS_KEY' | 'LOG_STORE_SECRET_KEY' | 'LOG_STORE_GENERATIONS_BUCKET') =>
    needed(environment, name, 'LOG_STORE=s3');
  return {
    accessKey: given('LOG_STORE_ACCESS_KEY'),
    secretKey: given('LOG_STORE_SECRET_KEY'),
    bucket: given('LOG_STORE_GENERATIONS_BUCKET'),
    region: pick('LOG_STORE_REGION'),
    basePath: (environment.LOG_STORE_BASEPATH ?? '').replace(/^\/+|\/+$/g, ''),
    ...(endpoint === undefined ? {} : { endpoint }),
    pathFormat: pick('LOG_STORE_FILE_PATH_FORMAT'),
  };
}

function needed<N extends Name>(environment: EnvironmentValues, name: N, because: string): Value<N> {
  const value = environment[name];
  if (value !== undefined) return value as Value<N>;
  throw new GatewayError('invalid_config', `${because} needs ${name} beside it.`, { param: name });
}
