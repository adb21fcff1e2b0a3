import {
  type Action,
  type Db,
  field,
  type JsonObject,
  type Operation,
  pageFields,
  pageOf,
  schema,
} from 'portcullis/sdk';
import { sharedIds, sharesOfEach } from '../sharing/reach.ts';
import { listOf, reachShape, shownReach } from './shown.ts';
import type { Kind, VersionedRecord } from './table.ts';

interface Listed<R extends VersionedRecord> {
  readonly kind: Kind;
  readonly path: string;
  readonly summary: string;
  readonly shape: Parameters<typeof schema.Object>[0];
  show(operation: Operation, record: R): JsonObject;
}

/** A workspace lists its own; those that others share with it where they are asked for: no plain filter can say that. */
export function listAction<R extends VersionedRecord>({ kind, path, summary, shape, show }: Listed<R>): Action {
  const sharing = Object.fromEntries(Object.entries(reachShape).map(([name, of]) => [name, schema.Optional(of)]));
  return {
    method: 'get',
    path,
    summary,
    needs: ['prompts.list'],
    in: 'either',
    query: schema.Object({
      collection_id: schema.Optional(field.id()),
      search: schema.Optional(field.text({ min: 1, description: 'A part of the name.' })),
      type: schema.Optional({ ...field.oneOf(['shared']), description: 'Only what other workspaces share.' }),
      show_prompt_share: schema.Optional(
        schema.Boolean({ description: 'What others share as well, and of each how far it reaches.' }),
      ),
      ...pageFields(),
    }),
    reply: listOf(schema.Object({ ...shape, ...sharing }, { additionalProperties: false })),
    run: async (operation) => {
      const rows = await matching(operation, kind);
      const { page, pageSize } = pageOf(operation);
      const counted = await rows().count({ total: '*' }).first();
      const found = (await rows()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(pageSize)
        .offset(page * pageSize)
        .select()) as R[];
      const told = await reachOf(operation, kind, found);
      const data = found.map((record) => ({ ...show(operation, record), ...told(record) }));
      return { object: 'list', total: Number(counted?.total ?? 0), data };
    },
  };
}

/** The live ones that the query asks for and the caller may see. Each call gives the query anew. */
async function matching({ db, query, records, scope }: Operation, kind: Kind): Promise<() => ReturnType<Db>> {
  const { organisationId, workspaceId } = scope;
  const { collection_id: named, search, type } = query;
  const collection = named === undefined ? undefined : await records('collections').find(scope, named);
  const withShared = type === 'shared' || query.show_prompt_share === 'true';
  const shared = withShared ? await sharedIds(db, organisationId, kind, workspaceId) : [];
  return () => {
    const rows = db(kind).where({ organisation_id: organisationId, status: 'active' });
    if (type === 'shared') rows.whereIn('id', shared);
    else if (workspaceId !== undefined)
      rows.andWhere((either) => either.where('workspace_id', workspaceId).orWhereIn('id', shared));
    if (named !== undefined) rows.andWhere('collection_id', collection?.id ?? named);
    // LIKE ignores case in one dialect and not in the other.
    if (search !== undefined) rows.andWhereRaw('instr(name, ?) > 0', [search]);
    return rows;
  };
}

async function reachOf(
  operation: Operation,
  kind: Kind,
  found: readonly VersionedRecord[],
): Promise<(record: VersionedRecord) => JsonObject> {
  if (operation.query.show_prompt_share !== 'true') return () => ({});
  const ids = found.map(({ id }) => id);
  const shares = await sharesOfEach(operation.db, operation.scope.organisationId, kind, ids);
  return (record) => shownReach(operation, record, shares.get(record.id) ?? []);
}
