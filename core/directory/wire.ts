import type { Json, JsonObject } from 'portcullis/sdk';
import type { OrganisationVersion, VersionsReply } from './source.ts';

/** Below the mount of the control plane. */
export const servicePaths = {
  entry: '/gateway/entries/:kind',
  versions: '/gateway/versions',
  keys: '/gateway/keys',
} as const;

/** The parts of a path in one query parameter: percent-encoded, with slashes between them. */
export function pathText(path: readonly string[]): string {
  return path.map(encodeURIComponent).join('/');
}

/** @returns undefined for a text that `pathText` does not write */
export function pathOf(text: string): readonly string[] | undefined {
  try {
    return text.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Null stands for a record that does not exist. */
export function entryBody(entry: Json): JsonObject {
  return { object: 'directory_entry', entry };
}

export function versionsBody({ versions, cursor, all }: VersionsReply): JsonObject {
  return {
    object: 'directory_versions',
    cursor,
    all,
    versions: versions.map(({ organisationId, version }) => ({ organisation_id: organisationId, version })),
  };
}

export function keysBody(checksumKey: string): JsonObject {
  return { object: 'gateway_keys', checksum_key: checksumKey };
}

/** All three give undefined for a body of another form: an answer of somebody else. */
export function readEntry(body: unknown): { readonly entry: unknown } | undefined {
  return isObject(body, 'directory_entry') && 'entry' in body ? { entry: body.entry ?? undefined } : undefined;
}

export function readVersionsBody(body: unknown): VersionsReply | undefined {
  if (!isObject(body, 'directory_versions')) return undefined;
  const { versions, cursor, all } = body;
  if (!Array.isArray(versions) || typeof cursor !== 'number' || typeof all !== 'boolean') return undefined;
  const read = versions.flatMap(
    (row: { organisation_id?: unknown; version?: unknown } | null): OrganisationVersion[] =>
      typeof row?.organisation_id === 'string' && typeof row.version === 'number'
        ? [{ organisationId: row.organisation_id, version: row.version }]
        : [],
  );
  return read.length === versions.length ? { versions: read, cursor, all } : undefined;
}

export function readKeys(body: unknown): string | undefined {
  if (!isObject(body, 'gateway_keys')) return undefined;
  return typeof body.checksum_key === 'string' && body.checksum_key !== '' ? body.checksum_key : undefined;
}

function isObject(body: unknown, object: string): body is Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && 'object' in body && body.object === object;
}
