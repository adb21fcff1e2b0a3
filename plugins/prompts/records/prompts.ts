import {
  type ControlHost,
  field,
  input,
  nullable,
  type Resource,
  type ResourceHooks,
  readOnly,
  required,
} from 'portcullis/sdk';
import { contentOf, versionFields } from './content.ts';
import { createdPrompt, withFirstVersion } from './create.ts';
import { promptVersion, textOfVersion } from './prompt-version.ts';
import { labelVersion, listVersions, oneVersion } from './prompt-versions.ts';
import { publishAction } from './publish.ts';
import { getPrompt, listPrompts } from './read-prompts.ts';
import { readPrompt } from './read-template.ts';
import type { PromptRecord } from './table.ts';
import { updatePrompt } from './update-prompt.ts';
import { writer } from './write.ts';

/** Prompts that teams keep here. Reading has routes of its own: workspaces see what others share with them as well. */
export function prompts(host: Pick<ControlHost, 'transaction'>): Resource {
  const write = writer(host);
  const { string, parameters, virtual_key, model, ...others } = versionFields;
  return {
    name: 'prompts',
    object: 'prompt',
    title: 'Prompts',
    path: '/prompts',
    owner: 'workspace',
    permission: 'prompts',
    slug: { prefix: 'pp', length: 10 },
    removal: 'archive',
    operations: ['create', 'remove'],
    fields: {
      name: required(field.name()),
      collection_id: nullable(field.id()),
      model,
      string: input(required(string)),
      parameters: input(required(parameters)),
      virtual_key: input(required(virtual_key)),
      ...Object.fromEntries(Object.entries(others).map(([name, of]) => [name, input(of)])),
      published_version: readOnly(field.integer(1)),
      latest_version: readOnly(field.integer(1)),
      updated_by: readOnly(field.id()),
      forked_from_prompt_id: readOnly(field.id()),
      forked_from_prompt_version_id: readOnly(field.id()),
    },
    columns: [
      'name',
      'collection_id',
      'model',
      'published_version',
      'latest_version',
      'updated_by',
      'forked_from_prompt_id',
      'forked_from_prompt_version_id',
    ],
    hooks: hooks as ResourceHooks,
    replies: { create: createdPrompt },
    actions: [
      listPrompts,
      getPrompt,
      updatePrompt(write),
      publishAction(write, {
        kind: 'prompts',
        path: '/prompts',
        valuesOf: (version) => ({ model: promptVersion(version).model }),
      }),
      listVersions,
      oneVersion,
      labelVersion,
    ],
  };
}

const hooks: ResourceHooks<PromptRecord> = {
  create: async (operation, body) => {
    const version = await readPrompt(operation, operation.scope, contentOf(body, undefined));
    return withFirstVersion(operation, 'prompts', textOfVersion(version));
  },
};
