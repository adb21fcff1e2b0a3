import { asArray, asObject, asString, compact, type Json, type JsonObject } from '../../json.ts';

/** Keywords that are taken; of two of them only some values are. */
const taken: ReadonlyMap<string, (value: Json) => boolean> = new Map([
  ...['type', 'title', 'enum', 'const', 'default', 'required', 'properties', 'items', 'anyOf', 'allOf'].map(always),
  ...['$defs', 'definitions'].map(always),
  ['minItems', (value) => value === 0 || value === 1],
  ['format', (value) => formats.has(value)],
]);
const formats: ReadonlySet<unknown> = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
]);
/** What asks nothing of an answer, or is written in another place. */
const apart: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', 'description', 'additionalProperties']);

/**
 * A schema as the API takes it of answers and of strict tools: every object is closed, and what else it would refuse is
 * told to the model in words, as the official clients do.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 *
 * @param dropped is told of each keyword that binds the answer no longer
 */
export function closedSchema(schema: JsonObject, dropped: (keyword: string) => void): JsonObject {
  const { $ref, $defs, definitions } = schema;
  // Nothing but definitions is taken beside a reference.
  if ($ref !== undefined) return { $ref, ...definitionsIn(compact({ $defs, definitions }), dropped) };
  const closed: { [key: string]: Json } = {};
  const told: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const name = keyword === 'oneOf' && schema.anyOf === undefined ? 'anyOf' : keyword;
    if (apart.has(name)) continue;
    if (taken.get(name)?.(value) === true) closed[name] = within(name, value, dropped);
    else {
      told.push(`${keyword}: ${JSON.stringify(value)}`);
      dropped(keyword);
    }
  }
  const words = told.length === 0 ? undefined : `{${told.join(', ')}}`;
  const description = [asString(schema.description), words].filter((text) => text !== undefined).join('\n\n');
  if ((schema.additionalProperties ?? false) !== false) dropped('additionalProperties');
  return compact({
    ...closed,
    description: description === '' ? undefined : description,
    additionalProperties: isOfObjects(schema) ? false : undefined,
  });
}

function within(name: string, value: Json, dropped: (keyword: string) => void): Json {
  switch (name) {
    case 'properties':
    case '$defs':
    case 'definitions':
      return named(value, dropped);
    case 'items':
      return inner(value, dropped);
    case 'anyOf':
    case 'allOf':
      return asArray(value).map((member) => inner(member, dropped));
    default:
      return value;
  }
}

function definitionsIn(given: JsonObject, dropped: (keyword: string) => void): JsonObject {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, named(value, dropped)]));
}

function named(value: Json, dropped: (keyword: string) => void): Json {
  const schemas = Object.entries(asObject(value) ?? {});
  return compact(Object.fromEntries(schemas.map(([name, schema]) => [name, inner(schema, dropped)])));
}

function inner(value: Json, dropped: (keyword: string) => void): Json {
  const schema = asObject(value);
  return schema === undefined ? value : closedSchema(schema, dropped);
}

function isOfObjects({ type, properties }: JsonObject): boolean {
  return type === undefined ? properties !== undefined : type === 'object' || asArray(type).includes('object');
}

function always(name: string): readonly [string, (value: Json) => boolean] {
  return [name, () => true];
}
