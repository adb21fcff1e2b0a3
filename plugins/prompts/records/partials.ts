import {
  type ControlHost,
  field,
  input,
  nullable,
  type Operation,
  type Resource,
  type ResourceHooks,
  readOnly,
  required,
} from 'portcullis/sdk';
import { refuseCircle } from './circles.ts';
import { createdPartial, withFirstVersion } from './create.ts';
import { partialDescription, partialString, partialText } from './partial-version.ts';
import { publishAction } from './publish.ts';
import { getPartial, listPartials, partialVersions } from './read-partials.ts';
import type { PartialRecord, VersionRow } from './table.ts';
import { updatePartial } from './update-partial.ts';
import { componentsOf } from './versions.ts';
import { writer } from './write.ts';

/** Pieces of template that prompts include. */
export function promptPartials(host: Pick<ControlHost, 'transaction'>): Resource {
  const write = writer(host);
  return {
    name: 'prompt_partials',
    object: 'partial',
    title: 'Prompt partials',
    path: '/prompts/partials',
    owner: 'workspace',
    permission: 'prompts',
    slug: { prefix: 'pp', length: 10 },
    removal: 'archive',
    operations: ['create', 'remove'],
    fields: {
      name: required(field.name()),
      collection_id: nullable(field.id()),
      string: input(required(partialString)),
      version_description: input(partialDescription),
      published_version: readOnly(field.integer(1)),
      latest_version: readOnly(field.integer(1)),
      updated_by: readOnly(field.id()),
    },
    columns: ['name', 'collection_id', 'published_version', 'latest_version', 'updated_by'],
    hooks: hooks as ResourceHooks,
    replies: { create: createdPartial },
    actions: [
      listPartials,
      getPartial,
      updatePartial(write),
      publishAction(write, { kind: 'prompt_partials', path: '/prompts/partials', demand: demandNoCircle }),
      partialVersions,
    ],
  };
}

/** The partials that a version includes may have changed since it was saved. */
async function demandNoCircle(own: Operation, record: PartialRecord, version: VersionRow): Promise<void> {
  const number = Number(version.number);
  await refuseCircle(own, { ...record, published_version: number }, number, componentsOf(version).partials);
}

const hooks: ResourceHooks<PartialRecord> = {
  create: async (operation, { string, version_description: description }) => {
    const text = await partialText(operation, operation.scope, { string, description });
    return withFirstVersion(operation, 'prompt_partials', text);
  },
};
