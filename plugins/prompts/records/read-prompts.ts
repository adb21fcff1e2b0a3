import { type Action, field, type JsonObject, type Operation, schema } from 'portcullis/sdk';
import { labelsOf } from '../labels/assign.ts';
import { sharesOf } from '../sharing/reach.ts';
import { listAction } from './list.ts';
import { withVariables } from './parameters.ts';
import { promptVersion } from './prompt-version.ts';
import { readable } from './reach.ts';
import { demandVersion } from './select.ts';
import {
  componentsShape,
  contentShape,
  namesShape,
  reachShape,
  shownContent,
  shownNames,
  shownReach,
  status,
  textOrNull,
  versionStatus,
} from './shown.ts';
import type { PromptRecord, VersionRow } from './table.ts';

export const listPrompts = listAction<PromptRecord>({
  kind: 'prompts',
  path: '/prompts',
  summary: 'List prompts',
  shape: { ...namesShape, model: textOrNull(), object: schema.Literal('prompt') },
  show: (operation, record) => ({ ...shownNames(operation, record), model: record.model, object: 'prompt' }),
});

const detail = schema.Object(
  {
    ...namesShape,
    ...contentShape,
    variable_components: componentsShape,
    prompt_version: schema.Integer(),
    prompt_version_id: schema.String(),
    prompt_version_status: status(),
    prompt_version_description: textOrNull(),
    prompt_version_label_id: textOrNull(),
    prompt_version_label_name: textOrNull(),
    prompt_version_labels: schema.Array(
      schema.Object({ id: schema.String(), name: schema.String() }, { additionalProperties: false }),
    ),
    ...reachShape,
    forked_from_prompt_id: textOrNull(),
    forked_from_prompt_version_id: textOrNull(),
    object: schema.Literal('prompt'),
  },
  { additionalProperties: false },
);

export const getPrompt: Action = {
  method: 'get',
  path: '/prompts/:id',
  summary: 'Get one prompt, of the workspace or shared with it, with its Published version or another',
  needs: ['prompts.read'],
  in: 'either',
  query: schema.Object({
    version: schema.Optional(
      field.text({ min: 1, description: 'A number, `latest`, or the name of a label. Default: the Published one.' }),
    ),
  }),
  reply: detail,
  run: async (operation) => {
    const record = await readable<PromptRecord>(operation, 'prompts');
    const { db, query } = operation;
    return shownPrompt(operation, record, await demandVersion(db, 'prompts', record, query.version ?? ''));
  },
};

async function shownPrompt(operation: Operation, record: PromptRecord, row: VersionRow): Promise<JsonObject> {
  const { db } = operation;
  const { organisation_id, id } = record;
  const number = Number(row.number);
  const version = promptVersion(row);
  const labels = (await labelsOf(db, organisation_id, id)).filter(({ versionNumber }) => versionNumber === number);
  return {
    ...shownNames(operation, record),
    ...shownContent(version),
    parameters: withVariables(version.parameters, version.variable_components.variables),
    variable_components: { ...version.variable_components },
    prompt_version: number,
    prompt_version_id: row.id,
    prompt_version_status: versionStatus(record, number),
    prompt_version_description: row.description,
    prompt_version_label_id: labels[0]?.labelId ?? null,
    prompt_version_label_name: labels[0]?.name ?? null,
    prompt_version_labels: labels.map(({ labelId, name }) => ({ id: labelId, name })),
    ...shownReach(operation, record, await sharesOf(db, organisation_id, 'prompts', id)),
    forked_from_prompt_id: record.forked_from_prompt_id,
    forked_from_prompt_version_id: record.forked_from_prompt_version_id,
    object: 'prompt',
  };
}
