import { field, type JsonObject, type Operation, schema } from 'portcullis/sdk';
import type { GuardrailRecord } from './table.ts';

const textOrNull = () => schema.Unsafe<string | null>({ type: ['string', 'null'] });
const moment = () => schema.Unsafe<string | number>({ type: ['integer', 'string'] });

const listed = {
  id: schema.String(),
  name: schema.String(),
  slug: schema.String(),
  organisation_id: schema.String(),
  workspace_id: textOrNull(),
  status: field.oneOf(['active', 'archived']),
  created_at: moment(),
  last_updated_at: moment(),
  owner_id: textOrNull(),
  updated_by: textOrNull(),
  object: schema.Literal('guardrail'),
};

const content = {
  checks: schema.Array(field.object({ description: 'Credentials in `parameters` are masked.' })),
  actions: field.object(),
  version_id: schema.String(),
};

/** A guardrail in a list. */
export const guardrailItem = schema.Object(listed, { additionalProperties: false });

/** A guardrail that is asked for. */
export const guardrailDetail = schema.Object({ ...listed, ...content }, { additionalProperties: false });

/** One version of a guardrail; the times are its own. */
export const guardrailVersion = schema.Object(
  { ...listed, ...content, version: schema.Integer() },
  { additionalProperties: false },
);

/** What of a guardrail stands in columns. */
export type ListedGuardrail = Pick<GuardrailRecord, 'id' | 'name' | 'slug' | 'organisation_id' | 'workspace_id'> &
  Pick<GuardrailRecord, 'status' | 'created_at' | 'last_updated_at' | 'owner_id' | 'updated_by'>;

export function shownItem(operation: Operation, record: ListedGuardrail): JsonObject {
  return {
    id: record.id,
    name: record.name,
    slug: record.slug,
    organisation_id: record.organisation_id,
    workspace_id: record.workspace_id,
    status: record.status,
    created_at: operation.time(Number(record.created_at)),
    last_updated_at: operation.time(Number(record.last_updated_at)),
    owner_id: record.owner_id,
    updated_by: record.updated_by,
    object: 'guardrail',
  };
}

export function shownDetail(operation: Operation, record: GuardrailRecord): JsonObject {
  const { checks, actions, version_id } = record;
  return { ...shownItem(operation, record), checks, actions, version_id };
}
