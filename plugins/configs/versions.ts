import { type Action, type Db, field, type JsonObject, type Operation, schema } from 'portcullis/sdk';
import { shownConfig } from './shown.ts';
import type { ConfigRecord } from './table.ts';

interface VersionRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly config_id: string;
  readonly number: number;
  readonly created_at: number;
  readonly created_by: string | null;
  readonly config: string;
}

/** Keeps the config as the version that its record names. */
export async function appendVersion({ db, now, actorId }: Operation, record: ConfigRecord): Promise<void> {
  const newest = await rowsOf(db, record).max({ number: 'number' }).first();
  const row: VersionRow = {
    id: record.version_id,
    organisation_id: record.organisation_id,
    config_id: record.id,
    number: Number(newest?.number ?? 0) + 1,
    created_at: now,
    created_by: actorId,
    config: JSON.stringify(record.config),
  };
  await db('config_versions').insert(row);
}

export async function dropVersions(
  { db }: Operation,
  record: { readonly id: string; readonly organisation_id: string },
) {
  await rowsOf(db, record).delete();
}

function rowsOf(db: Db, { id, organisation_id }: { readonly id: string; readonly organisation_id: string }) {
  return db<VersionRow>('config_versions').where({ config_id: id, organisation_id });
}

/** `GET /configs/:id/versions`, newest first. */
export const versions: Action = {
  method: 'get',
  path: '/configs/:id/versions',
  summary: 'Lists the versions of a config, newest first',
  needs: ['configs.read'],
  of: 'configs',
  reply: schema.Object({
    object: field.oneOf(['list']),
    total: field.integer(0),
    data: schema.Array(field.object()),
  }),
  async run(operation, record) {
    const config = record as ConfigRecord;
    const rows = await rowsOf(operation.db, config).orderBy('number', 'desc');
    return { object: 'list', total: rows.length, data: rows.map((row) => shownVersion(operation, config, row)) };
  },
};

function shownVersion(operation: Operation, record: ConfigRecord, row: VersionRow): JsonObject {
  const created = operation.time(Number(row.created_at));
  return {
    id: record.id,
    name: record.name,
    slug: record.slug,
    organisation_id: record.organisation_id,
    workspace_id: record.workspace_id,
    status: record.status,
    is_default: record.is_default,
    owner_id: record.owner_id,
    ...shownConfig(row.config, row.id),
    version: Number(row.number),
    updated_by: row.created_by,
    created_at: created,
    last_updated_at: created,
    object: 'config',
  };
}
