import { createRequire } from 'node:module';
import type Typebox from 'typebox';

type Library = typeof Typebox;
type Made = Record<string, unknown>;

/** What typebox keeps on its schemas beside JSON Schema: never shown, never copied by `{ ...schema }`. */
function hidden(schema: Made, marks: Made): Made {
  for (const [name, value] of Object.entries(marks))
    Object.defineProperty(schema, name, { configurable: true, writable: true, enumerable: false, value });
  return schema;
}

const made = (kind: string, keywords: Made, options: Made = {}): Made =>
  hidden({ ...keywords, ...options }, { '~kind': kind });
const copied = (schema: Made): Made => Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
const simple = (kind: string, keywords: Made) => (options?: Made) => made(kind, keywords, options);
const isOptional = (schema: Made | undefined) => schema !== undefined && '~optional' in schema;

const optional = (schema: Made): Made => hidden(copied(schema), { '~optional': true });

function object(properties: Readonly<Record<string, Made>>, options?: Made): Made {
  const required = Object.getOwnPropertyNames(properties).filter((name) => !isOptional(properties[name]));
  return made('Object', { type: 'object', ...(required.length === 0 ? {} : { required }), properties }, options);
}

function partial(schema: Made, options: Made = {}): Made {
  if (schema['~kind'] !== 'Object') return library().Partial(schema as never, options) as unknown as Made;
  const properties = Object.entries(schema.properties as Readonly<Record<string, Made>>);
  return object(Object.fromEntries(properties.map(([name, property]) => [name, optional(property)])), options);
}

function record(key: Made, value: Made, options: Made = {}): Made {
  if (key['~kind'] !== 'String' || 'pattern' in key)
    return library().Record(key as never, value as never, options) as unknown as Made;
  return made('Record', { type: 'object', patternProperties: { '^.*$': value } }, options);
}

const values = (given: readonly unknown[] | Made): readonly unknown[] =>
  Array.isArray(given)
    ? given
    : Object.getOwnPropertyNames(given)
        .filter((name) => Number.isNaN(Number(name)))
        .map((name) => (given as Made)[name]);

const builders = {
  Any: simple('Any', {}),
  Unknown: simple('Unknown', {}),
  Never: simple('Never', { not: {} }),
  Null: simple('Null', { type: 'null' }),
  String: simple('String', { type: 'string' }),
  Number: simple('Number', { type: 'number' }),
  Integer: simple('Integer', { type: 'integer' }),
  Boolean: simple('Boolean', { type: 'boolean' }),
  Literal: (value: unknown, options?: Made) => made('Literal', { type: typeof value, const: value }, options),
  Enum: (given: readonly unknown[] | Made, options?: Made) => made('Enum', { enum: values(given) }, options),
  Union: (anyOf: readonly Made[], options?: Made) => made('Union', { anyOf }, options),
  Array: (items: Made, options?: Made) => made('Array', { type: 'array', items }, options),
  Ref: ($ref: string, options?: Made) => made('Ref', { $ref }, options),
  Unsafe: (schema: Made) => hidden(copied(schema), { '~unsafe': null }),
  Object: object,
  Optional: optional,
  Partial: partial,
  Record: record,
  Cyclic: ($defs: Readonly<Record<string, Made>>, $ref: string, options?: Made) => {
    const named = Object.entries($defs).map(([name, schema]) => [name, Object.assign(copied(schema), { $id: name })]);
    return made('Cyclic', { $defs: Object.fromEntries(named), $ref }, options);
  },
};

let loaded: Library | undefined;

function library(): Library {
  loaded ??= (createRequire(import.meta.url)('typebox') as { readonly default: Library }).default;
  return loaded;
}

/**
 * The builders of typebox, of which the common ones stand here: they make what typebox makes, in two files in the place of
 * seven hundred, a tenth of what a start loads. For the others typebox itself is loaded when one is first named.
 */
const Type = new Proxy(builders as Readonly<Record<string | symbol, unknown>>, {
  get: (own, name) =>
    Object.hasOwn(own, name) ? own[name] : (library() as unknown as Readonly<Record<string | symbol, unknown>>)[name],
}) as unknown as Library;

export default Type;
