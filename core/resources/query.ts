import { GatewayError, type JsonObject, plainNumber } from 'portcullis/sdk';
import { coerceText } from '../config/read-text.ts';
import { type Fields, type InputReader, inputReader } from './input.ts';
import { refuseMisspelt } from './misspelt.ts';
import { baseFields, type ResourceModel } from './model.ts';

/** Reads the parameters that a route names, numbers and booleans from their texts. */
export interface QueryReader {
  /** @throws GatewayError `bad_request`, `param` naming the parameter */
  read(query: Readonly<Record<string, string>>): JsonObject;
  readonly schema: InputReader['schema'];
}

/** Every route that belongs to a place takes these. */
export const places = { workspace_id: {}, workspace_slug: {} };
/** Not to be filtered by: clients name them wherever they are. */
const harmless = new Set(['organisation_id', 'workspace_id']);
/** What lists here and elsewhere are filtered by. */
const usual = ['search', 'ids', 'id', 'name', 'slug', 'status', 'type', 'model', 'provider', 'api_key', 'user_id'];

/**
 * Parameters that the route does not name are dropped, for clients send more than is asked. Where one is a letter away from
 * one that it names, or is by its name a filter, the answer would be about more than was asked for: it is refused.
 * @param model of a list
 */
export function queryReader(fields: Fields, model?: ResourceModel): QueryReader {
  const reader = inputReader(fields, { fill: true });
  const filters = fields.page_size === undefined ? undefined : new Set([...usual, ...namesOf(model)]);
  const shape = { properties: { ...places, ...reader.schema.properties } };
  return {
    schema: reader.schema,
    read: (query) => {
      refuseMisspelt(query, shape, harmless, 'parameter');
      if (filters !== undefined) refuseStray(query, fields, filters);
      const given = Object.entries(reader.schema.properties).flatMap(([name, schema]) => {
        const text = query[name];
        return text !== undefined && text !== '' ? [[name, coerceText(schema, text, plainNumber)] as const] : [];
      });
      return reader.read(Object.fromEntries(given));
    },
  };
}

function namesOf(model: ResourceModel | undefined): readonly string[] {
  return model === undefined ? [] : [...baseFields, ...Object.keys(model.fields)];
}

function refuseStray(query: Readonly<Record<string, string>>, fields: Fields, filters: ReadonlySet<string>): void {
  const stray = Object.keys(query).find(
    (name) => filters.has(name) && !harmless.has(name) && !Object.hasOwn(fields, name),
  );
  if (stray === undefined) return;
  throw new GatewayError(
    'bad_request',
    `This list cannot be filtered by ${stray}. It takes ${Object.keys(fields).join(', ')}.`,
    { param: stray },
  );
}
