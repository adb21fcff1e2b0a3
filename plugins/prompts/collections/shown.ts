import { asString, field, type JsonObject, type Operation, schema } from 'portcullis/sdk';
import { contentsOf } from './contents.ts';

const moment = () => schema.Unsafe<string | number>({ type: ['integer', 'string'] });
const momentOrNull = () => schema.Unsafe<string | number | null>({ type: ['integer', 'string', 'null'] });

const item = {
  id: schema.String(),
  slug: schema.String(),
  name: schema.String(),
  organisation_id: schema.String(),
  workspace_id: schema.String(),
  parent_collection_id: schema.Unsafe<string | null>({ type: ['string', 'null'] }),
  is_default: schema.Unsafe<0 | 1>({ enum: [0, 1] }),
  status: field.oneOf(['active', 'archived']),
  created_at: moment(),
  last_updated_at: moment(),
  collection_details: schema.Object(
    {
      child_collections_count: schema.Integer(),
      prompts_count: schema.Integer(),
      child_collections_last_updated_at: momentOrNull(),
      prompts_last_updated_at: momentOrNull(),
    },
    { additionalProperties: false, description: 'What lies directly in it; archived prompts are not counted.' },
  ),
  object: schema.Literal('collection'),
};

/** A collection in a list. */
export const collectionItem = schema.Object(item, { additionalProperties: false });

/** A collection that is asked for. */
export const collectionDetail = schema.Object(
  { ...item, child_collections: schema.Array(collectionItem) },
  { additionalProperties: false },
);

/** Adds what lies in each of them. */
export async function withDetails(
  { db, scope, time }: Operation,
  items: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const ids = items.flatMap(({ id }) => asString(id) ?? []);
  const children = await contentsOf(db, 'collections', scope.organisationId, ids);
  const prompts = await contentsOf(db, 'prompts', scope.organisationId, ids);
  return items.map((shown) => {
    const id = String(shown.id);
    return {
      ...shown,
      collection_details: {
        child_collections_count: children(id).total,
        prompts_count: prompts(id).total,
        child_collections_last_updated_at: time(children(id).latest),
        prompts_last_updated_at: time(prompts(id).latest),
      },
    };
  });
}
