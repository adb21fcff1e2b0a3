import { isDeepStrictEqual } from 'node:util';
import { GatewayError, type Json, type JsonObject, type Operation, type StoredRecord } from 'portcullis/sdk';
import type { InputReader } from './input.ts';
import type { FieldSchema, ResourceModel } from './model.ts';

/** What no update changes, whatever the record. */
const always: Readonly<Record<string, FieldSchema>> = {
  id: {} as FieldSchema,
  slug: {} as FieldSchema,
  organisation_id: { 'x-reference': 'organisations' } as FieldSchema,
};

/**
 * Refuses an update that would change what stays as it was made; dropped in silence, it would look done. Clients send back
 * what they have read, and once more what the path names: that changes nothing. `workspace_id` is none of it, for it says
 * where the record is looked for.
 * @throws GatewayError `bad_request`, `param` the member
 */
export async function refuseChanged(
  { fields, resource }: ResourceModel,
  operation: Operation,
  record: StoredRecord,
  body: JsonObject,
  taken: InputReader | undefined,
): Promise<void> {
  const known = taken?.schema.properties ?? {};
  const isFixed = (schema: FieldSchema) => schema['x-fixed'] === true && schema['x-input'] !== true;
  const own = Object.entries(fields).filter(([, schema]) => isFixed(schema));
  for (const [name, schema] of [...Object.entries(always), ...own]) {
    const given = body[name];
    if (given === undefined || Object.hasOwn(known, name) || (name === 'slug' && resource.slug === undefined)) continue;
    const kept = (record[name] ?? null) as Json;
    if (await isSame(operation, record, name, schema, given, kept)) continue;
    throw unchangeable(name, kept);
  }
  const { status } = body;
  if (typeof status === 'string' && !Object.hasOwn(known, 'status') && !isOfUse(record, status.toLowerCase()))
    throw unchangeable('status', record.status);
}

/** Of a record in use, clients may have read any of these and send it back; what they ask for otherwise is that it ends. */
function isOfUse(record: StoredRecord, status: string): boolean {
  return ['active', 'exhausted', 'expired', record.status.toLowerCase()].includes(status);
}

function unchangeable(name: string, kept: Json): GatewayError {
  return new GatewayError('bad_request', `${name} cannot be changed. Leave it out, or send ${textOf(kept)}.`, {
    param: name,
  });
}

async function isSame(
  operation: Operation,
  record: StoredRecord,
  name: string,
  schema: FieldSchema,
  given: Json,
  kept: Json,
): Promise<boolean> {
  if (isDeepStrictEqual(given, kept)) return true;
  // Typed clients write null for what they leave out.
  if (given === null) return !isNullable(schema);
  if (name === 'id' || name === 'slug') return [record.id, record.slug, operation.params.id].includes(String(given));
  const named = schema['x-reference'];
  if (named === undefined || typeof given !== 'string') return false;
  const found = await operation.records(named).find({ organisationId: record.organisation_id }, given);
  return found?.id === kept;
}

function isNullable({ type }: FieldSchema): boolean {
  return Array.isArray(type) && type.includes('null');
}

function textOf(kept: Json): string {
  return JSON.stringify(kept).slice(0, 300);
}
