import { type Action, asString, type JsonObject, type Operation, pageFields, pageOf, schema } from 'portcullis/sdk';
import { type AssignedLabel, assignLabel, labelsOf } from '../labels/assign.ts';
import { promptVersion } from './prompt-version.ts';
import { readable } from './reach.ts';
import { contentShape, listOf, moment, shownContent, status, textOrNull, versionStatus } from './shown.ts';
import type { PromptRecord, VersionRow } from './table.ts';
import { versionById, versionsOf } from './versions.ts';

const item = schema.Object(
  {
    id: schema.String(),
    prompt_id: schema.String(),
    prompt_template: schema.Object(contentShape, { additionalProperties: false }),
    prompt_version: schema.Integer(),
    prompt_description: textOrNull(),
    label_id: textOrNull(),
    created_at: moment(),
    status: status(),
    object: schema.Literal('prompt'),
  },
  { additionalProperties: false },
);

export const listVersions: Action = {
  method: 'get',
  path: '/prompts/:id/versions',
  summary: 'List the versions of a prompt, newest first',
  needs: ['prompts.read'],
  in: 'either',
  query: schema.Object(pageFields()),
  reply: listOf(item),
  run: async (operation) => {
    const record = await readable<PromptRecord>(operation, 'prompts');
    const rows = await versionsOf(operation.db, 'prompts', record, pageOf(operation));
    const labels = await labelsOf(operation.db, record.organisation_id, record.id);
    const data = rows.map((row) => shownVersion(operation, record, row, labels));
    return { object: 'list', total: record.latest_version, data };
  },
};

export const oneVersion: Action = {
  method: 'get',
  path: '/prompts/:id/versions/:versionId',
  summary: 'Get one version of a prompt',
  needs: ['prompts.read'],
  in: 'either',
  reply: item,
  run: async (operation) => {
    const record = await readable<PromptRecord>(operation, 'prompts');
    const row = await versionById(operation.db, 'prompts', record, operation.params.versionId ?? '');
    return shownVersion(operation, record, row, await labelsOf(operation.db, record.organisation_id, record.id));
  },
};

export const labelVersion: Action = {
  method: 'put',
  path: '/prompts/:id/versions/:versionId',
  summary: 'Point a label at a version of a prompt, away from any other version of it',
  needs: ['prompts.update'],
  of: 'prompts',
  body: schema.Object({
    label_id: schema.Unsafe<string | null>({
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 255,
      description: 'Null takes all labels off the version.',
    }),
  }),
  reply: schema.Object({}, { additionalProperties: false }),
  run: async (operation, record) => {
    const prompt = record as PromptRecord;
    const { organisation_id: organisationId, workspace_id: workspaceId, id: promptId } = prompt;
    const row = await versionById(operation.db, 'prompts', prompt, operation.params.versionId ?? '');
    const of = { organisationId, promptId, workspaceId };
    await assignLabel(operation, of, Number(row.number), asString(operation.body.label_id) ?? null);
    return {};
  },
};

function shownVersion(
  { time }: Operation,
  record: PromptRecord,
  row: VersionRow,
  labels: readonly AssignedLabel[],
): JsonObject {
  const number = Number(row.number);
  return {
    id: row.id,
    prompt_id: record.id,
    prompt_template: shownContent(promptVersion(row)),
    prompt_version: number,
    prompt_description: row.description,
    label_id: labels.find(({ versionNumber }) => versionNumber === number)?.labelId ?? null,
    created_at: time(Number(row.created_at)),
    status: versionStatus(record, number),
    object: 'prompt',
  };
}
