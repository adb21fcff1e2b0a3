import { asObject, type DirectoryLoader } from 'portcullis/sdk';
import type { ReferenceEntry } from './entry.ts';
import type { ReferenceRecord } from './table.ts';

/** Where a secret stands and how to get in, for the data plane; the secret itself is never in the store. */
export const loadReference: DirectoryLoader<'secretReference'> = async (reader, [organisationId, id]) => {
  if (organisationId === undefined || id === undefined) return undefined;
  const references = reader.records<ReferenceRecord>('secret_references');
  const record = await references.find({ organisationId }, id);
  if (record === undefined || record.status !== 'active') return undefined;
  const { secret_auth: secret } = await references.secrets(record);
  const entry: ReferenceEntry = {
    organisationId,
    id: record.id,
    slug: record.slug ?? record.id,
    manager: record.manager_type,
    auth: { ...record.public_auth, ...asObject(secret) },
    path: record.secret_path,
    ...(record.secret_key ? { key: record.secret_key } : {}),
    ...(record.allow_all_workspaces ? {} : { workspaces: record.allowed_workspaces }),
  };
  return entry;
};
