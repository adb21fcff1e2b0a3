import { asArray, asObject, asString, type Json, type JsonObject } from 'portcullis/sdk';
import type { AffinityKey, AffinityRow, ObjectKind } from './rows.ts';
import type { AffinityChanges } from './source.ts';

/** Below the mount of the control plane. */
export const affinityPaths = {
  find: '/gateway/affinity/find',
  write: '/gateway/affinity/write',
} as const;

export function rowBody(row: AffinityRow): JsonObject {
  const { providerSlug } = row;
  return {
    ...keyBody(row),
    kind: row.kind,
    target: row.target,
    provider: row.provider,
    ...(providerSlug === undefined ? {} : { provider_slug: providerSlug }),
    created_at: row.createdAt,
    expires_at: row.expiresAt,
  };
}

/** Of a body that was checked against its schema, or that this gateway has written. */
export function rowOf(body: Json | undefined): AffinityRow {
  const row = asObject(body) ?? {};
  const slug = asString(row.provider_slug);
  return {
    ...keyOf(body),
    kind: String(row.kind) as ObjectKind,
    target: String(row.target),
    provider: String(row.provider),
    ...(slug === undefined ? {} : { providerSlug: slug }),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}

function keyBody({ idHash, scope }: AffinityKey): JsonObject {
  return { id_hash: idHash, scope };
}

function keyOf(body: Json | undefined): AffinityKey {
  const { id_hash, scope } = asObject(body) ?? {};
  return { idHash: String(id_hash), scope: String(scope) };
}

export function changesBody({ rows, forgotten }: AffinityChanges): JsonObject {
  return { rows: rows.map(rowBody), forgotten: forgotten.map(keyBody) };
}

/** Of a body that was checked against its schema. */
export function changesOf({ rows, forgotten }: JsonObject): AffinityChanges {
  return { rows: asArray(rows).map(rowOf), forgotten: asArray(forgotten).map(keyOf) };
}

export function rowsBody(rows: readonly AffinityRow[]): JsonObject {
  return { object: 'affinity', rows: rows.map(rowBody) };
}

export function doneBody(): JsonObject {
  return { object: 'affinity_written' };
}

/** Both give undefined for a body of another form: an answer of somebody else. */
export function readRows(body: Json | undefined): readonly AffinityRow[] | undefined {
  const { object, rows } = asObject(body) ?? {};
  return object === 'affinity' && Array.isArray(rows) ? asArray(rows).map(rowOf) : undefined;
}

export function readDone(body: Json | undefined): true | undefined {
  return asObject(body)?.object === 'affinity_written' || undefined;
}
