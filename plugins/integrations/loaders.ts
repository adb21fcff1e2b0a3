import type { Control, ControlHost, DirectoryReader, WorkspaceModels } from 'portcullis/sdk';
import { knownOf, liveProvider, modelRecords, providerEntry } from './entries.ts';
import { isSet, type ProviderRecord } from './records.ts';

/** What the data plane knows of providers and their models. */
export function loaders(host: ControlHost): NonNullable<Control['loaders']> {
  return {
    provider: async (reader, [organisationId = '', workspaceId = '', idOrSlug = '']) => {
      const scope = { organisationId, workspaceId };
      const found = await reader.records<ProviderRecord>('providers').find(scope, idOrSlug);
      const live = found === undefined ? undefined : await liveProvider(reader, found);
      return live === undefined ? undefined : providerEntry(host, reader, live);
    },
    models: async (reader, [organisationId = '', workspaceId = '']) => {
      const scope = { organisationId, workspaceId };
      const { records } = await reader.records<ProviderRecord>('providers').list(scope);
      const models: WorkspaceModels['models'][number][] = [];
      for (const record of records) models.push(...(await modelsOf(host, reader, record)));
      return { organisationId, models };
    },
  };
}

async function modelsOf(
  host: ControlHost,
  reader: DirectoryReader,
  record: ProviderRecord,
): Promise<WorkspaceModels['models']> {
  const live = await liveProvider(reader, record);
  if (live === undefined) return [];
  const unit = knownOf(host, live.integration).name;
  const provider = record.slug ?? record.id;
  return (await modelRecords(reader, live.integration))
    .filter(({ enabled }) => isSet(enabled))
    .map(({ model, created_at: createdAt }) => ({
      id: `@${provider}/${model}`,
      slug: model,
      provider,
      unit,
      createdAt,
    }));
}
