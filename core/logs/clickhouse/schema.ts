import { type LogColumn, logColumns } from '../columns.ts';
import type { ClickHouseSettings } from '../settings.ts';
import { moment, ttlOf } from './lifetimes.ts';

/** Columns that tables of an earlier gateway do not have. */
const keptLater: readonly string[] = [
  'prompt_version',
  'config_version_id',
  'prompt_version_id',
  'sent_as',
  'reply_untouched',
];

/** The tables. A batch that comes twice leaves two rows of one key, of which queries and merges keep one. */
export function clickHouseTables(settings: ClickHouseSettings): readonly string[] {
  const columns = logColumns.map(
    ({ column, ...rest }) => `${column} ${typeOf(rest)} ${ttlOf(settings, 'logs', column)}`,
  );
  return [
    `CREATE TABLE IF NOT EXISTS logs (
      ${columns.join(', ')},
      body_format LowCardinality(Nullable(String)),
      INDEX by_id id TYPE bloom_filter GRANULARITY 4,
      INDEX by_trace trace_id TYPE bloom_filter GRANULARITY 4
    ) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(${moment})
    ORDER BY (organisation_id, workspace_id, created_at, id) ${ttlOf(settings, 'logs')}`,
    ...logColumns
      .filter(({ column }) => keptLater.includes(column))
      .map(({ column, ...rest }) => `ALTER TABLE logs ADD COLUMN IF NOT EXISTS ${column} ${typeOf(rest)}`),
    `CREATE TABLE IF NOT EXISTS log_bodies (
      organisation_id LowCardinality(String), id String, created_at Int64, bodies String CODEC(ZSTD(1))
    ) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(${moment}) ORDER BY (organisation_id, id) ${ttlOf(settings, 'log_bodies')}`,
    `CREATE TABLE IF NOT EXISTS feedback (
      id String, organisation_id LowCardinality(String), workspace_id LowCardinality(String), trace_id String,
      created_at Int64, value Float64, weight Float64, metadata String, given_by Nullable(String), version UInt64
    ) ENGINE = ReplacingMergeTree(version) ORDER BY (organisation_id, id) ${ttlOf(settings, 'feedback')}`,
    // Requests before the latest of these moments are no logs any more.
    'CREATE TABLE IF NOT EXISTS log_cut (moment Int64) ENGINE = MergeTree ORDER BY moment',
  ];
}

function typeOf({ type, field, nullable = false }: Omit<LogColumn, 'column'>): string {
  const maybe = (name: string) => (nullable ? `Nullable(${name})` : name);
  switch (type) {
    case 'text':
      return maybe('String');
    case 'name':
      return `LowCardinality(${maybe('String')})`;
    case 'integer':
      return maybe('Int64');
    case 'real':
      return 'Float64';
    case 'flag':
      return 'UInt8';
    case 'json':
      return field === 'metadata' ? 'Map(LowCardinality(String), String)' : 'String';
  }
}
