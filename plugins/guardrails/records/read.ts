import { type Action, type Db, type Operation, pageFields, pageOf, schema, several } from 'portcullis/sdk';
import { eitherFamily, holds, readableGuardrail } from './reach.ts';
import { guardrailDetail, guardrailItem, type ListedGuardrail, shownDetail, shownItem } from './shown.ts';

/** A workspace lists its own guardrails and those of the organisation: no plain filter can say that. */
export const listGuardrails: Action = {
  method: 'get',
  path: '/guardrails',
  summary: 'List guardrails: of a workspace with those of its organisation, or all',
  needs: eitherFamily('list'),
  in: 'either',
  query: schema.Object({
    ids: schema.Optional(
      several(schema.String({ maxLength: 40_000, description: 'Ids or slugs, with commas between.' })),
    ),
    organisation_id: schema.Optional(
      schema.String({ maxLength: 255, description: 'Without `workspace_id`: only what belongs to the organisation.' }),
    ),
    ...pageFields(),
  }),
  reply: schema.Object({
    object: schema.Literal('list'),
    total: schema.Integer(),
    data: schema.Array(guardrailItem),
  }),
  run: async (operation) => {
    const rows = await matching(operation);
    const { page, pageSize } = pageOf(operation);
    const counted = await rows().count({ total: '*' }).first();
    const found = (await rows()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(pageSize)
      .offset(page * pageSize)
      .select()) as ListedGuardrail[];
    return { object: 'list', total: Number(counted?.total ?? 0), data: found.map((row) => shownItem(operation, row)) };
  },
};

export const getGuardrail: Action = {
  method: 'get',
  path: '/guardrails/:id',
  summary: 'Get one guardrail, of the workspace or of its organisation',
  needs: eitherFamily('read'),
  in: 'either',
  reply: guardrailDetail,
  run: async (operation) => shownDetail(operation, await readableGuardrail(operation)),
};

/** The live guardrails that the query asks for and the caller may see. Each call gives the query anew. */
async function matching(operation: Operation): Promise<() => ReturnType<Db>> {
  const { access, db, query } = operation;
  const { organisationId, workspaceId } = operation.scope;
  const asked = query.organisation_id ?? '';
  if (asked !== '') await operation.records('organisations').get({ organisationId }, asked);
  const ofOrganisationAlone =
    (asked !== '' && (query.workspace_id ?? '') === '') || !holds(access, 'guardrails.list', workspaceId);
  const names = (query.ids ?? '').split(',').flatMap((name) => name.trim() || []);
  return () => {
    const rows = db('guardrails').where({ organisation_id: organisationId, status: 'active' });
    if (ofOrganisationAlone) rows.whereNull('workspace_id');
    else if (workspaceId !== undefined)
      rows.andWhere((either) => either.where('workspace_id', workspaceId).orWhereNull('workspace_id'));
    if (names.length > 0) rows.andWhere((either) => either.whereIn('id', names).orWhereIn('slug', names));
    return rows;
  };
}
