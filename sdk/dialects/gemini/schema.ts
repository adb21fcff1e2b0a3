import { asObject, asString, type Json, type JsonObject } from '../../json.ts';
import { camelKeys } from './camel.ts';

type Convert = (value: Json) => Json;

const each: Convert = (value) => (Array.isArray(value) ? value.map(convert) : value);
const one: Convert = (value) => convert(value);
const named: Convert = (value) => {
  const object = asObject(value);
  if (object === undefined) return value;
  return Object.fromEntries(Object.entries(object).map(([name, schema]) => [name, convert(schema)]));
};
/** int64 fields are strings in ProtoJSON: `"minItems": "2"`. */
const integer: Convert = (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value);

const converters: Readonly<Record<string, Convert>> = {
  properties: named,
  items: one,
  prefixItems: each,
  anyOf: each,
  minItems: integer,
  maxItems: integer,
  minProperties: integer,
  maxProperties: integer,
  minLength: integer,
  maxLength: integer,
};

/** JSON Schema of a `Schema` message (an OpenAPI 3.0 subset with upper-case types and `nullable`). Never changes its input. */
export function jsonSchemaOf(schema: JsonObject): JsonObject {
  const result: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(camelKeys(schema))) {
    if (key === 'type' || key === 'nullable') continue;
    const converter = Object.hasOwn(converters, key) ? converters[key] : undefined;
    result[key] = converter === undefined ? value : converter(value);
  }
  const type = asString(schema.type)?.toLowerCase();
  const nullable = schema.nullable === true;
  if (type !== undefined && type !== 'type_unspecified') result.type = nullable ? [type, 'null'] : type;
  if (type === undefined && nullable && Array.isArray(result.anyOf)) {
    result.anyOf = [...result.anyOf, { type: 'null' }];
  }
  return result;
}

function convert(value: Json): Json {
  const schema = asObject(value);
  return schema === undefined ? value : jsonSchemaOf(schema);
}
