import { type JsonObject, schema, type TSchema } from 'portcullis/sdk';

/** Pieces of the documents: what replies look like beyond the fields of a resource. */
const text = () => schema.Unsafe<string | null>({ type: ['string', 'null'] });
const moment = () => schema.Unsafe<string | number | null>({ type: ['integer', 'string', 'null'] });

export const shape = {
  text,
  moment,
  texts: () => schema.Array(schema.String()),
  members: () => schema.Unsafe<JsonObject>({ type: 'object' }),
  nothing: () => closed({}),
  /** `{object: "list", total, data}` of such items. */
  list: (item: TSchema) =>
    closed({ object: schema.Literal('list'), total: schema.Integer({ minimum: 0 }), data: schema.Array(item) }),
};

/** An object with these members and no others; each may be absent. */
export function closed(properties: Readonly<Record<string, TSchema>>): TSchema {
  // `Partial` keeps no options of what it is given.
  return schema.Partial(schema.Object({ ...properties }), { additionalProperties: false });
}

const name = () => schema.String();

export const memberShape = closed({
  object: schema.Literal('workspace-user'),
  id: name(),
  first_name: text(),
  last_name: text(),
  org_role: name(),
  role: name(),
  status: name(),
  workspace_id: name(),
  email: name(),
  scopes: shape.texts(),
  settings: schema.Unsafe<JsonObject | null>({ type: ['object', 'null'] }),
  created_at: moment(),
  last_updated_at: moment(),
});

export const userShape = closed({
  object: schema.Literal('user'),
  id: name(),
  organisation_id: name(),
  first_name: text(),
  last_name: text(),
  role: name(),
  email: name(),
  status: name(),
  workspace_ids: shape.texts(),
  created_at: moment(),
  last_updated_at: moment(),
});

export const organisationShape = closed({
  object: schema.Literal('organisation'),
  id: name(),
  slug: text(),
  name: name(),
  status: name(),
  settings: shape.members(),
  security_settings: shape.members(),
  data_plane_security_settings: shape.members(),
  block_inline_config: schema.Boolean(),
  session_settings: shape.members(),
  auth_settings: shape.members(),
  metadata_schemas: shape.members(),
  defaults: shape.members(),
  overrides: shape.members(),
  default_workspace_id: text(),
  created_at: moment(),
  last_updated_at: moment(),
});
