import type { Json, JsonObject, Operation, StoredRecord } from 'portcullis/sdk';
import type { FieldSchema, ResourceModel } from './model.ts';
import { type Timestamps, writeMoment } from './moments.ts';

/** The wire form of a record: what may be shown, moments as the operator has set, and what the resource adds. */
export async function shown(
  model: ResourceModel,
  record: StoredRecord,
  operation: Operation,
  timestamps: Timestamps,
  detail: boolean,
): Promise<JsonObject> {
  const derived = derivedForm(model, record, timestamps, detail);
  const own = await model.resource.hooks?.show?.(operation, record, { detail });
  return own === undefined ? derived : withoutAbsent({ ...derived, ...own });
}

/** What the fields alone say: of audit entries too, for secrets are in none. */
export function derivedForm(
  model: ResourceModel,
  record: StoredRecord,
  timestamps: Timestamps,
  detail: boolean,
): JsonObject {
  const { resource, fields } = model;
  const wire: Record<string, Json> = { id: record.id };
  if (resource.slug !== undefined) wire.slug = record.slug;
  wire.organisation_id = record.organisation_id;
  if (resource.owner !== 'organisation') wire.workspace_id = record.workspace_id;
  wire.status = record.status;
  wire.created_at = writeMoment(record.created_at, timestamps);
  wire.last_updated_at = writeMoment(record.last_updated_at, timestamps);
  for (const [name, schema] of Object.entries(fields)) {
    if (schema['x-secret'] === true || schema['x-input'] === true || (schema['x-detail'] === true && !detail)) continue;
    const value = record[name];
    if (value !== undefined) wire[name] = wireValue(value as Json, schema, timestamps);
  }
  wire.object = resource.object;
  return wire;
}

function wireValue(value: Json, schema: FieldSchema, timestamps: Timestamps): Json {
  if (typeof value !== 'number') return value;
  if (schema['x-time'] === 'iso') return new Date(value).toISOString();
  return schema['x-time'] === undefined ? value : writeMoment(value, timestamps);
}

function withoutAbsent(form: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== undefined)) as JsonObject;
}
