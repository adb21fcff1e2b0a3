import { asObject, type JsonObject, type StoredRecord, type Values } from 'portcullis/sdk';
import { baseFields, type FieldSchema, type ResourceModel } from './model.ts';

export type Row = Readonly<Record<string, unknown>>;

const base = new Set<string>(baseFields);

/** What is written of a record: base and promoted columns, and the document of everything else that is not secret. */
export function rowOf(model: ResourceModel, record: Values): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  const document: Record<string, unknown> = {};
  for (const name of baseFields) row[name] = record[name] ?? null;
  for (const name of Object.keys(model.fields)) {
    const schema = model.fields[name] as FieldSchema;
    const value = record[name];
    if (base.has(name) || schema['x-input'] === true || schema['x-secret'] === true) continue;
    if (model.columns.has(name)) row[name] = value === undefined ? null : columnValue(value);
    else if (value !== undefined) document[name] = value;
  }
  row.document = JSON.stringify(document);
  return row;
}

export function recordOf(model: ResourceModel, row: Row): StoredRecord {
  const document = documentOf(row.document);
  const record: Record<string, unknown> = { ...document };
  for (const name of baseFields) record[name] = row[name] ?? null;
  for (const name of model.columns) record[name] = fieldValue(model.fields[name] as FieldSchema, row[name] ?? null);
  return record as StoredRecord;
}

function columnValue(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}

function fieldValue(schema: FieldSchema, value: unknown): unknown {
  return schema.type === 'boolean' && value !== null ? value === 1 : value;
}

function documentOf(text: unknown): JsonObject {
  return asObject(JSON.parse(String(text))) ?? {};
}
