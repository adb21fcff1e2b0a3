import type { Standard } from 'portcullis/sdk';
import { schema as Type } from 'portcullis/sdk';
import type { TProperties, TSchema } from 'typebox';
import type { FieldSchema, ResourceModel } from './model.ts';

/** A moment on the wire: either form, for the operator decides which. */
const moment = { type: ['integer', 'string'] } as unknown as TSchema;

/** What a standard operation answers: for the documents, and for tests that hold replies against them. */
export function replySchema(model: ResourceModel, operation: Standard): TSchema {
  const { resource } = model;
  const own = resource.replies?.[operation];
  if (own !== undefined) return own.schema;
  switch (operation) {
    case 'list':
      return closed({
        object: Type.Literal('list'),
        total: Type.Integer({ minimum: 0 }),
        data: Type.Array(recordSchema(model, false)),
      });
    case 'get':
      return recordSchema(model, true);
    case 'create':
      return closed({
        id: Type.String(),
        ...(resource.slug === undefined ? {} : { slug: Type.String() }),
        object: Type.Literal(resource.object),
      });
    case 'update':
    case 'remove':
      return closed({});
  }
}

/** The wire form of one record. Members that `show` changes are those of `shown`. */
export function recordSchema({ resource, fields }: ResourceModel, detail: boolean): TSchema {
  const properties: Record<string, TSchema> = {
    id: Type.String(),
    organisation_id: Type.String(),
    status: Type.String(),
    created_at: moment,
    last_updated_at: moment,
    object: Type.Literal(resource.object),
  };
  if (resource.slug !== undefined) properties.slug = Type.Unsafe<string | null>({ type: ['string', 'null'] });
  if (resource.owner !== 'organisation')
    properties.workspace_id = Type.Unsafe<string | null>({ type: ['string', 'null'] });
  for (const [name, schema] of Object.entries(fields)) {
    if (schema['x-secret'] === true || schema['x-input'] === true || (schema['x-detail'] === true && !detail)) continue;
    properties[name] = Type.Optional(wireSchema(schema));
  }
  for (const [name, schema] of Object.entries(resource.shown ?? {})) properties[name] = Type.Optional(schema);
  return closed(
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, name === 'id' ? schema : Type.Optional(schema)]),
    ) as TProperties,
  );
}

/** What is stored may be null where nothing was given. */
function wireSchema(schema: FieldSchema): TSchema {
  if (schema['x-time'] !== undefined) return { ...moment, type: ['integer', 'string', 'null'] } as unknown as TSchema;
  const { type, enum: values } = schema;
  const types = type === undefined ? undefined : Array.isArray(type) ? type : [type];
  return {
    ...schema,
    ...(types === undefined ? {} : { type: types.includes('null') ? types : [...types, 'null'] }),
    ...(values === undefined || values.includes(null) ? {} : { enum: [...values, null] }),
  } as unknown as TSchema;
}

function closed(properties: TProperties): TSchema {
  return Type.Object(properties, { additionalProperties: false });
}
