import type { DirectoryLoader } from 'portcullis/sdk';
import type { ConfigRecord } from './table.ts';

/** A saved config as requests use it; archived ones serve nobody. */
export const loadConfig: DirectoryLoader<'config'> = async (reader, [organisationId, workspaceId, idOrSlug]) => {
  if (organisationId === undefined || workspaceId === undefined || idOrSlug === undefined) return undefined;
  const record = await reader.records<ConfigRecord>('configs').find({ organisationId, workspaceId }, idOrSlug);
  if (record === undefined || record.status !== 'active') return undefined;
  return {
    organisationId,
    workspaceId,
    id: record.id,
    slug: record.slug ?? record.id,
    name: record.name,
    versionId: record.version_id,
    config: record.config,
  };
};
