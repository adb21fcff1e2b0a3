import { type Action, field, pageFields, pageOf, schema } from 'portcullis/sdk';
import { sharesOf } from '../sharing/reach.ts';
import { listAction } from './list.ts';
import { readable } from './reach.ts';
import { demandVersion } from './select.ts';
import {
  componentsShape,
  listOf,
  moment,
  namesShape,
  reachShape,
  shownNames,
  shownReach,
  status,
  textOrNull,
  versionStatus,
} from './shown.ts';
import type { PartialRecord } from './table.ts';
import { componentsOf, versionsOf } from './versions.ts';

const object = schema.Literal('partial');

export const listPartials = listAction<PartialRecord>({
  kind: 'prompt_partials',
  path: '/prompts/partials',
  summary: 'List partials of prompts',
  shape: { ...namesShape, object },
  show: (operation, record) => ({ ...shownNames(operation, record), object: 'partial' }),
});

export const getPartial: Action = {
  method: 'get',
  path: '/prompts/partials/:id',
  summary: 'Get one partial, of the workspace or shared with it, with its Published version or another',
  needs: ['prompts.read'],
  in: 'either',
  query: schema.Object({
    version: schema.Optional(field.text({ min: 1, description: 'A number, or `latest`. Default: the Published one.' })),
  }),
  reply: schema.Object(
    {
      ...namesShape,
      string: schema.String(),
      version: schema.Integer(),
      version_description: textOrNull(),
      prompt_partial_version_id: schema.String(),
      prompt_version_status: status(),
      variable_components: componentsShape,
      ...reachShape,
      object,
    },
    { additionalProperties: false },
  ),
  run: async (operation) => {
    const record = await readable<PartialRecord>(operation, 'prompt_partials');
    const { db, query } = operation;
    const row = await demandVersion(db, 'prompt_partials', record, query.version ?? '');
    return {
      ...shownNames(operation, record),
      string: row.string,
      version: Number(row.number),
      version_description: row.description,
      prompt_partial_version_id: row.id,
      prompt_version_status: versionStatus(record, Number(row.number)),
      variable_components: { ...componentsOf(row) },
      ...shownReach(operation, record, await sharesOf(db, record.organisation_id, 'prompt_partials', record.id)),
      object: 'partial',
    };
  },
};

export const partialVersions: Action = {
  method: 'get',
  path: '/prompts/partials/:id/versions',
  summary: 'List the versions of a partial, newest first',
  needs: ['prompts.read'],
  in: 'either',
  query: schema.Object(pageFields()),
  reply: listOf(
    schema.Object(
      {
        prompt_partial_id: schema.String(),
        prompt_partial_version_id: schema.String(),
        slug: schema.String(),
        version: schema.Integer(),
        string: schema.String(),
        description: textOrNull(),
        created_at: moment(),
        prompt_version_status: status(),
        object,
      },
      { additionalProperties: false },
    ),
  ),
  run: async (operation) => {
    const record = await readable<PartialRecord>(operation, 'prompt_partials');
    const rows = await versionsOf(operation.db, 'prompt_partials', record, pageOf(operation));
    const data = rows.map((row) => ({
      prompt_partial_id: record.id,
      prompt_partial_version_id: row.id,
      slug: record.slug,
      version: Number(row.number),
      string: row.string,
      description: row.description,
      created_at: operation.time(Number(row.created_at)),
      prompt_version_status: versionStatus(record, Number(row.number)),
      object: 'partial',
    }));
    return { object: 'list', total: record.latest_version, data };
  },
};
