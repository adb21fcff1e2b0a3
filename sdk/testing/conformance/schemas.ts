import { asArray, asObject, asString, type Json, type JsonObject } from '../../json.ts';
import { misplacedSecrets } from '../../secret-places.ts';

/** Where a schema lets in more than it has to; a sentence for each place. */
export function boundFaults(schema: object, path: string): readonly string[] {
  const node = schema as JsonObject;
  const fault = ownFault(node);
  return [
    ...(fault === undefined ? [] : [`${path} ${fault}`]),
    ...below(node, path).flatMap(([one, at]) => boundFaults(one, at)),
  ];
}

function ownFault(node: JsonObject): string | undefined {
  if (node.const !== undefined || node.enum !== undefined) return undefined;
  const types = typeof node.type === 'string' ? [node.type] : asArray(node.type);
  if (types.includes('string') && node.maxLength === undefined && !isBounded(asString(node.pattern)))
    return 'is a string without maxLength';
  if (types.includes('array') && node.maxItems === undefined && !isChoice(node)) return 'is a list without maxItems';
  if (!types.includes('object')) return undefined;
  if (node.properties === undefined)
    return node.maxProperties === undefined ? 'is a map without maxProperties' : undefined;
  return node.additionalProperties === false || asObject(node.additionalProperties) !== undefined
    ? undefined
    : 'is an object that takes unknown keys: additionalProperties must be false';
}

/** Whether a list can hold no more than the values that there are. */
function isChoice({ uniqueItems, items }: JsonObject): boolean {
  return uniqueItems === true && asObject(items)?.enum !== undefined;
}

/** Whether an anchored pattern admits no text of any length. */
function isBounded(pattern: string | undefined): boolean {
  if (pattern === undefined || !/^\^.*\$$/s.test(pattern)) return false;
  return !/[*+]|\{\d*,\}/.test(pattern.replace(/\\.|\[(?:\\.|[^\]])*\]/gs, 'x'));
}

function below(node: JsonObject, path: string): readonly (readonly [JsonObject, string])[] {
  const named = Object.entries(asObject(node.properties) ?? {}).map(([name, one]) => [one, `${path}.${name}`] as const);
  const listed = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((keyword) =>
    asArray(node[keyword]).map((one) => [one, path] as const),
  );
  const single: readonly (readonly [Json | undefined, string])[] = [
    [node.items, `${path}[]`],
    [node.additionalProperties, `${path}.*`],
  ];
  return [...named, ...listed, ...single].flatMap(([one, at]) => {
    const object = asObject(one);
    return object === undefined ? [] : [[object, at] as const];
  });
}

const secretName = /(api_?key|secret|password|passwd|access_?key|private_?key|token)$/i;

/** Secrets that are marked where nobody masks them, and strings that go by the name of one and are not marked. */
export function secretFaults(schema: object): readonly string[] {
  const misplaced = misplacedSecrets(schema).map(
    (place) => `${place}: only properties, and properties of these, can be secret`,
  );
  return [...misplaced, ...unmarked(schema)];
}

function unmarked(schema: object): readonly string[] {
  const node = schema as JsonObject;
  const own = Object.entries(asObject(node.properties) ?? {}).flatMap(([name, one]) => {
    const field = asObject(one);
    const isPlain = field?.type === 'string' && field.enum === undefined && field['x-secret'] !== true;
    return isPlain && secretName.test(name) ? [`${name} must be a secret() among the credentials`] : [];
  });
  return [...own, ...below(node, '').flatMap(([one]) => unmarked(one))];
}

/** The first level's fields that have neither a title nor a description. */
export function unnamedFields(schema: object): readonly string[] {
  const fields = Object.entries(asObject((schema as JsonObject).properties) ?? {});
  const bare = fields.filter(
    ([, one]) => asObject(one)?.title === undefined && asObject(one)?.description === undefined,
  );
  return bare.length === 0 ? [] : [`Without title and description: ${bare.map(([name]) => name).join(', ')}.`];
}
