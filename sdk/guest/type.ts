/** What a schema is in the sandbox: JSON Schema, and whether an object may leave it out. */
type Made = Record<string, unknown>;

const optional = Symbol('optional');

const simple =
  (type: string) =>
  (options: Made = {}): Made => ({ type, ...options });

function object(properties: Readonly<Record<string, Made>>, options: Made = {}): Made {
  const required = Object.keys(properties).filter(
    (name) => properties[name] !== undefined && !(optional in properties[name]),
  );
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
}

/**
 * Stands in the place of `type-builders.ts` in the sandbox, where each run starts anew and a library of types would cost more than
 * the run: the same calls, the same JSON Schema. The rest of typebox's calls is not there.
 */
const Type = {
  Any: (options: Made = {}): Made => ({ ...options }),
  Unknown: (options: Made = {}): Made => ({ ...options }),
  Unsafe: (schema: Made): Made => ({ ...schema }),
  String: simple('string'),
  Number: simple('number'),
  Integer: simple('integer'),
  Boolean: simple('boolean'),
  Null: simple('null'),
  Literal: (value: string | number | boolean, options: Made = {}): Made => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Enum: (
    values: readonly (string | number)[] | Readonly<Record<string, string | number>>,
    options: Made = {},
  ): Made => ({
    enum: Array.isArray(values) ? [...values] : Object.values(values),
    ...options,
  }),
  Union: (anyOf: readonly Made[], options: Made = {}): Made => ({ anyOf, ...options }),
  Array: (items: Made, options: Made = {}): Made => ({ type: 'array', items, ...options }),
  Tuple: (items: readonly Made[], options: Made = {}): Made => ({
    type: 'array',
    additionalItems: false,
    items,
    minItems: items.length,
    ...options,
  }),
  Record: (_key: Made, value: Made, options: Made = {}): Made => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  Object: object,
  Optional: (schema: Made): Made => Object.defineProperty({ ...schema }, optional, { value: true }),
};

export default Type;
