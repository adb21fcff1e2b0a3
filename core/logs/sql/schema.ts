import { type LogColumn, metadataNameLength, metadataValueLength } from '../columns.ts';
import { dimensions, type Rollup, rollups, type Sum, sumNames, tableOf } from './rollups.ts';
import { rowColumns } from './row-columns.ts';
import type { SqlDatabase } from './sql.ts';

interface Types {
  readonly serial: string;
  readonly integer: string;
  readonly small: string;
  readonly real: string;
  readonly json: string;
  readonly bytes: string;
  readonly text: (length: number) => string;
  /** Behind a table whose primary key is its order on disk. */
  readonly clustered: string;
  readonly table: string;
  /** Whether indexes stand in the statement of their table. */
  readonly inline: boolean;
  /** Whether rollups come later than their rows. */
  readonly settles: boolean;
}

/** 2: blocks have what their requests share once, and those of before are still read. */
const version = 2;

const sizes = 'total_tokens, input_tokens, output_tokens, cost_nano_usd';

const sqliteTypes: Types = {
  serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  integer: 'INTEGER',
  small: 'INTEGER',
  real: 'REAL',
  json: 'TEXT',
  bytes: 'BLOB',
  text: () => 'TEXT',
  clustered: 'WITHOUT ROWID',
  table: '',
  inline: false,
  settles: true,
};

function mysqlTypes(collation: string): Types {
  return {
    serial: 'BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY',
    integer: 'BIGINT',
    small: 'INT',
    real: 'DOUBLE',
    json: 'MEDIUMTEXT',
    bytes: 'MEDIUMBLOB',
    text: (length) => `VARCHAR(${length})`,
    clustered: '',
    table: `ENGINE=InnoDB ROW_FORMAT=DYNAMIC CHARACTER SET utf8mb4 COLLATE ${collation}`,
    inline: true,
    settles: false,
  };
}

/**
 * Makes the tables of the logs where they are missing. Processes that start together may all do it.
 * @throws Error when the tables are of a later version of the gateway
 */
export async function prepareSchema(database: SqlDatabase): Promise<void> {
  const types = database.dialect === 'sqlite' ? sqliteTypes : mysqlTypes(await collationOf(database));
  for (const statement of statements(types)) await database.run(statement);
  await database.transaction(async (sql) => {
    const [found] = await sql.all('SELECT MAX(version) AS version FROM log_schema');
    const known = Number(found?.version ?? 0);
    if (known > version) throw new Error(`The log tables have version ${known}, and this gateway knows ${version}.`);
    if (known < version) await sql.insert('log_schema', ['version'], [[version]]);
    if (known === 0 && sql.dialect === 'sqlite') await sql.insert('log_settled', ['seq'], [[0]]);
  });
}

async function collationOf(database: SqlDatabase): Promise<string> {
  const [row] = await database.all('SELECT @@collation_connection AS name');
  return String(row?.name);
}

function statements(types: Types): readonly string[] {
  const { integer, small, real, bytes, json, text, serial, clustered } = types;
  const organisation = `organisation_id ${text(64)} NOT NULL`;
  const id = `id ${text(64)} NOT NULL`;
  return [
    ...table(types, 'log_schema', [`version ${integer} NOT NULL PRIMARY KEY`]),
    // The last of the logs that the rollups have; of one row, in the embedded database.
    ...(types.settles ? table(types, 'log_settled', [`seq ${integer} NOT NULL`]) : []),
    ...table(
      types,
      'logs',
      [
        `seq ${serial}`,
        ...rowColumns.map((column) => `${column.column} ${typeOf(types, column)}${column.nullable ? '' : ' NOT NULL'}`),
        `latency_bucket ${small} NOT NULL`,
        `body_format ${text(8)}`,
        `block ${integer} NOT NULL`,
        `item ${small} NOT NULL`,
      ],
      [
        ['id', 'UNIQUE', 'organisation_id, id'],
        // With what is asked for by its size: that is answered without a look at the rows.
        ['workspace', '', `organisation_id, workspace_id, created_at, ${sizes}`],
        ['time', '', `organisation_id, created_at, ${sizes}`],
        ['trace', '', 'organisation_id, trace_id'],
      ],
    ),
    // Rows and bodies of some requests, compressed together.
    ...table(
      types,
      'log_blocks',
      [
        `seq ${serial}`,
        `last_at ${integer} NOT NULL`,
        `packed_rows ${bytes} NOT NULL`,
        `packed_bodies ${bytes}`,
        `heads_at ${integer} NOT NULL`,
      ],
      [['time', '', 'last_at']],
    ),
    ...table(
      types,
      `log_metadata`,
      [
        organisation,
        `name ${text(metadataNameLength)} NOT NULL`,
        `value ${text(metadataValueLength)} NOT NULL`,
        `created_at ${integer} NOT NULL`,
        `seq ${integer} NOT NULL`,
        'PRIMARY KEY (organisation_id, name, value, created_at, seq)',
      ],
      [],
      clustered,
    ),
    ...table(
      types,
      'feedback',
      [
        `seq ${serial}`,
        id,
        organisation,
        `workspace_id ${text(64)} NOT NULL`,
        `trace_id ${text(128)} NOT NULL`,
        `created_at ${integer} NOT NULL`,
        `value ${real} NOT NULL`,
        `weight ${real} NOT NULL`,
        `metadata ${json} NOT NULL`,
        `given_by ${text(128)}`,
      ],
      [
        ['id', 'UNIQUE', 'organisation_id, id'],
        ['trace', '', 'organisation_id, trace_id'],
        ['time', '', 'organisation_id, created_at'],
      ],
    ),
    ...Object.values<Rollup>(rollups).flatMap((rollup) =>
      (['hours', 'days'] as const).flatMap((slots) =>
        table(types, tableOf(rollup, slots), rollupColumns(types, rollup), [], clustered),
      ),
    ),
  ];
}

const realSums: ReadonlySet<Sum> = new Set(['hit_ms', 'duration_ms']);

function rollupColumns({ integer, small, real, bytes, text }: Types, rollup: Rollup): readonly string[] {
  const groups = rollup.by.map((dimension) => {
    const { column, length } = dimensions[dimension];
    return `${column} ${length === undefined ? small : text(length)} NOT NULL`;
  });
  const metadata = [`name ${text(metadataNameLength)} NOT NULL`, `value ${text(metadataValueLength)} NOT NULL`];
  return [
    `organisation_id ${text(64)} NOT NULL`,
    `slot ${integer} NOT NULL`,
    `digest ${text(32)} NOT NULL`,
    ...groups,
    ...(rollup.ofMetadata ? metadata : []),
    ...sumNames.map((name) => `${name} ${realSums.has(name) ? real : integer} NOT NULL`),
    `first_seen ${integer} NOT NULL`,
    `last_seen ${integer} NOT NULL`,
    ...(rollup.latency ? [`latency ${bytes} NOT NULL`] : []),
    'PRIMARY KEY (organisation_id, slot, digest)',
  ];
}

type Index = readonly [name: string, kind: '' | 'UNIQUE', columns: string];

/** Indexes are made with their table, and never on one that has rows. */
function table(
  { inline, table: options }: Types,
  name: string,
  columns: readonly string[],
  indexes: readonly Index[] = [],
  clustered = '',
): readonly string[] {
  const keys = indexes.map(([index, kind, of]) => `${kind} KEY ${name}_${index} (${of})`);
  const apart = indexes.map(
    ([index, kind, of]) => `CREATE ${kind} INDEX IF NOT EXISTS ${name}_${index} ON ${name} (${of})`,
  );
  const parts = [...columns, ...(inline ? keys : [])].join(', ');
  return [`CREATE TABLE IF NOT EXISTS ${name} (${parts}) ${options} ${clustered}`, ...(inline ? [] : apart)];
}

function typeOf({ integer, small, real, json, text }: Types, { type, length = 255 }: LogColumn): string {
  switch (type) {
    case 'text':
    case 'name':
      return text(length);
    case 'integer':
      return integer;
    case 'real':
      return real;
    case 'flag':
      return small;
    case 'json':
      return json;
  }
}
