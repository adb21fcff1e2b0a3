import type { DirectoryLoader } from 'portcullis/sdk';
import { findInReach } from '../sharing/reach.ts';
import { promptVersion, sourceOf } from './prompt-version.ts';
import { selectVersion } from './select.ts';
import type { PartialRecord, PromptRecord } from './table.ts';

/** A version of a prompt as requests of a workspace run it, or why they cannot. */
export const loadPrompt: DirectoryLoader<'prompt'> = async (
  reader,
  [organisationId = '', workspaceId = '', idOrSlug = '', selector = ''],
) => {
  const record = await findInReach<PromptRecord>(reader, 'prompts', { organisationId, workspaceId }, idOrSlug);
  if (record === undefined) return undefined;
  if (record.status !== 'active') return { organisationId, fault: `The prompt ${record.slug} is archived.` };
  const row = await selectVersion(reader.db, 'prompts', record, selector);
  if ('fault' in row) return { organisationId, fault: row.fault };
  const version = promptVersion(row);
  const { model, tools, functions, toolChoice, ...source } = sourceOf(version);
  return {
    organisationId,
    id: record.id,
    slug: record.slug,
    name: record.name,
    version: Number(row.number),
    versionId: row.id,
    ...source,
    providerSlug: version.virtual_key,
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
    ...(functions === undefined ? {} : { functions }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
  };
};

/** A version of a partial as prompts of a workspace include it. */
export const loadPromptPartial: DirectoryLoader<'promptPartial'> = async (
  reader,
  [organisationId = '', workspaceId = '', idOrSlug = '', selector = ''],
) => {
  const scope = { organisationId, workspaceId };
  const record = await findInReach<PartialRecord>(reader, 'prompt_partials', scope, idOrSlug);
  if (record === undefined || record.status !== 'active') return undefined;
  const row = await selectVersion(reader.db, 'prompt_partials', record, selector);
  if ('fault' in row) return undefined;
  return { organisationId, id: record.id, slug: record.slug, version: Number(row.number), string: row.string };
};
