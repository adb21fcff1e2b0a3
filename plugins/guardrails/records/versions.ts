import { type Action, type Db, type JsonObject, type Operation, schema } from 'portcullis/sdk';
import { eitherFamily, readableGuardrail } from './reach.ts';
import { guardrailVersion, shownItem } from './shown.ts';
import type { GuardrailRecord } from './table.ts';

interface VersionRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly guardrail_id: string;
  readonly number: number;
  readonly created_at: number;
  readonly created_by: string | null;
  readonly name: string;
  readonly checks: string;
  readonly actions: string;
}

/** Keeps the guardrail as the version that its record names. */
export async function appendVersion({ db, now, actorId }: Operation, record: GuardrailRecord): Promise<void> {
  const newest = await rowsOf(db, record).max({ number: 'number' }).first();
  const row: VersionRow = {
    id: record.version_id,
    organisation_id: record.organisation_id,
    guardrail_id: record.id,
    number: Number(newest?.number ?? 0) + 1,
    created_at: now,
    created_by: actorId,
    name: record.name,
    checks: JSON.stringify(record.checks),
    actions: JSON.stringify(record.actions),
  };
  await db('guardrail_versions').insert(row);
}

function rowsOf(db: Db, { id, organisation_id }: GuardrailRecord) {
  return db<VersionRow>('guardrail_versions').where({ guardrail_id: id, organisation_id });
}

/** `GET /guardrails/:id/versions`, newest first. */
export const versions: Action = {
  method: 'get',
  path: '/guardrails/:id/versions',
  summary: 'List the versions of a guardrail, newest first',
  needs: eitherFamily('read'),
  in: 'either',
  reply: schema.Object({
    object: schema.Literal('list'),
    total: schema.Integer(),
    data: schema.Array(guardrailVersion),
  }),
  run: async (operation) => {
    const record = await readableGuardrail(operation);
    const rows = await rowsOf(operation.db, record).orderBy('number', 'desc');
    return { object: 'list', total: rows.length, data: rows.map((row) => shownVersion(operation, record, row)) };
  },
};

function shownVersion(operation: Operation, record: GuardrailRecord, row: VersionRow): JsonObject {
  const created = operation.time(Number(row.created_at));
  return {
    ...shownItem(operation, record),
    name: row.name,
    checks: JSON.parse(row.checks),
    actions: JSON.parse(row.actions),
    version_id: row.id,
    version: Number(row.number),
    updated_by: row.created_by,
    created_at: created,
    last_updated_at: created,
  };
}
