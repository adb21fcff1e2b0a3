import {
  detail,
  field,
  fixed,
  GatewayError,
  type JsonObject,
  nullable,
  type Operation,
  type Resource,
  type ResourceHooks,
  readOnly,
  reference,
  required,
  schema,
} from 'portcullis/sdk';
import { refuseWhileFilled } from './contents.ts';
import { defaultCollection } from './default-collection.ts';
import { liveCollection } from './find.ts';
import { collectionDetail, collectionItem, withDetails } from './shown.ts';
import type { CollectionRecord } from './table.ts';

/** A collection at the top counts as one. */
const deepest = 10;

/** Folders of prompts. Where one lies is said when it is made and never changed, so that none can lie in itself. */
export function collections(): Resource {
  return {
    name: 'collections',
    object: 'collection',
    title: 'Collections',
    path: '/collections',
    owner: 'workspace',
    permission: 'prompts',
    slug: { prefix: 'co' },
    removal: 'archive',
    onWorkspaceRemoval: 'follow',
    fields: {
      name: required(field.name()),
      parent_collection_id: reference('collections', fixed(nullable(field.id()))),
      depth: detail(readOnly(field.integer(1, deepest))),
      default_of: detail(readOnly(field.id())),
    },
    columns: ['name', 'parent_collection_id', 'depth', 'default_of'],
    filters: { status: field.oneOf(['active', 'archived']), search: field.text({ min: 1 }) },
    hooks: hooks as ResourceHooks,
    replies: {
      list: {
        schema: schema.Object(
          { object: schema.Literal('list'), total: schema.Integer(), data: schema.Array(collectionItem) },
          { additionalProperties: false },
        ),
        of: async ({ total, items }, operation) => ({
          object: 'list',
          total,
          data: await withDetails(operation, items),
        }),
      },
      get: {
        schema: collectionDetail,
        of: async ({ record, shown }, operation) => {
          const [own, ...inside] = await withDetails(operation, [
            shown,
            ...(await childrenOf(operation, record as CollectionRecord)),
          ]);
          return { ...own, child_collections: inside };
        },
      },
    },
  };
}

const hooks: ResourceHooks<CollectionRecord> = {
  create: async (operation, { parent_collection_id: parent }) => {
    if (typeof parent !== 'string') return { parent_collection_id: null, depth: 1, default_of: null };
    const above = await liveCollection(operation, operation.scope, parent, 'parent_collection_id');
    if (above.depth < deepest) return { parent_collection_id: above.id, depth: above.depth + 1, default_of: null };
    throw new GatewayError(
      'bad_request',
      `parent_collection_id names a collection at depth ${above.depth}; collections are nested ${deepest} deep at most.`,
      { param: 'parent_collection_id' },
    );
  },
  update: (_, __, { name }) => {
    if (name !== undefined) return {};
    throw new GatewayError('bad_request', 'name is required: it is all of a collection that can be changed.', {
      param: 'name',
    });
  },
  remove: refuseWhileFilled,
  list: async (operation) => {
    const { organisationId, workspaceId } = operation.scope;
    // Whoever looks for a place to put a prompt finds one.
    if (workspaceId !== undefined) await defaultCollection(operation, { organisationId, workspaceId });
    return {};
  },
  show: (operation, record) => ({ ...shownCollection(operation, record), depth: undefined, default_of: undefined }),
};

async function childrenOf(operation: Operation, { id, organisation_id, workspace_id }: CollectionRecord) {
  const scope = { organisationId: organisation_id, workspaceId: workspace_id };
  const { records } = await operation
    .records<CollectionRecord>('collections')
    .list(scope, { where: { parent_collection_id: id }, archived: false });
  return records.map((record) => shownCollection(operation, record));
}

function shownCollection(operation: Operation, record: CollectionRecord): JsonObject {
  return {
    id: record.id,
    slug: record.slug,
    name: record.name,
    organisation_id: record.organisation_id,
    workspace_id: record.workspace_id,
    parent_collection_id: record.parent_collection_id,
    is_default: record.default_of === null ? 0 : 1,
    status: record.status,
    created_at: operation.time(record.created_at),
    last_updated_at: operation.time(record.last_updated_at),
    object: 'collection',
  };
}
