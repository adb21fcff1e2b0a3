import { asObject, endpointNames, field, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import { valuesOf } from '../policies/conditions.ts';
import { dimensionKeys, isMetadataKey } from '../policies/dimensions.ts';

const mostConditions = 50;
const mostValues = 1000;
const longestText = 255;

/** The kinds of request that `endpoint_type` may name (control-plane.md §1.12). */
const endpointTypes: ReadonlySet<string> = new Set<string>(endpointNames);

/** A star stands for the rest of a name, and only behind a slash. */
const modelForm = /^@[^/*]+\/(?:[^*]+|(?:[^*]+\/)?\*)$/s;

/** Keys that a policy of this kind may look at. */
export type ConditionKeys = 'usage' | 'rate';

/** The two lists of a body, held against their rules by the functions below. */
export const policyLists = {
  conditions: () => listOfObjects(['key', 'value', 'excludes']),
  group_by: () => listOfObjects(['key']),
};

function listOfObjects(members: readonly string[]) {
  const properties = Object.fromEntries(members.map((name) => [name, {}]));
  return field.list(field.object({ properties }), { minItems: 1, maxItems: mostConditions });
}

/**
 * The conditions of a body. What could never fit is refused, for a limit that limits nothing is worse than none.
 * @throws GatewayError `bad_request`, `param` as `conditions[0].key`
 */
export function readConditions(given: Json | undefined, keys: ConditionKeys): JsonObject[] {
  return listOf(given).map((one, index) => {
    const at = `conditions[${index}]`;
    const condition = asObject(one) ?? refuse(at, 'must be an object with key and value');
    const key = readKey(condition.key, keys, `${at}.key`);
    const value = readValues(condition.value, key, `${at}.value`);
    const { excludes } = condition;
    if (excludes === undefined || excludes === null) return { key, value };
    const excluded = readValues(excludes, key, `${at}.excludes`);
    if (valuesOf(excluded).includes('*')) refuse(`${at}.excludes`, 'may not be "*": the policy would hold for nothing');
    return { key, value, excludes: excluded };
  });
}

/** @throws GatewayError `bad_request`, `param` as `group_by[0].key` */
export function readGroupBy(given: Json | undefined, keys: ConditionKeys): JsonObject[] {
  const seen = new Set<string>();
  return listOf(given).map((one, index) => {
    const at = `group_by[${index}]`;
    const key = readKey((asObject(one) ?? refuse(at, 'must be an object with key')).key, keys, `${at}.key`);
    if (seen.has(key)) refuse(`${at}.key`, `names "${key}" a second time`);
    seen.add(key);
    return { key };
  });
}

function readKey(key: Json | undefined, keys: ConditionKeys, at: string): string {
  const accepted = dimensionKeys.filter((one) => keys === 'rate' || one !== 'endpoint_type');
  if (typeof key === 'string' && key.length <= longestText) {
    if (isMetadataKey(key) || accepted.some((one) => one === key)) return key;
  }
  return refuse(at, `must be ${accepted.join(', ')} or metadata.<name>`);
}

function readValues(value: Json | undefined, key: string, at: string): Json {
  const values = Array.isArray(value) ? (value as readonly Json[]) : [value];
  if (values.length === 0 || values.length > mostValues) refuse(at, `must hold 1 to ${mostValues} values`);
  for (const one of values) {
    if (typeof one !== 'string' || one === '' || one.length > longestText)
      refuse(at, `must be a text of 1 to ${longestText} characters, or a list of such texts`);
    if (key === 'model' && one !== '*' && !modelForm.test(one))
      refuse(at, 'must be "*", "@provider-slug/model" or "@provider-slug/*"');
    if (key !== 'model' && !isMetadataKey(key) && one !== '*' && one.includes('*'))
      refuse(at, 'must be "*" for anything, or a whole name: "*" inside a text stands for nothing else');
    if (key === 'endpoint_type' && one !== '*' && !endpointTypes.has(one))
      refuse(at, `must be "*" or one of ${[...endpointTypes].join(', ')}`);
  }
  return value as Json;
}

function listOf(given: Json | undefined): readonly Json[] {
  return Array.isArray(given) ? (given as readonly Json[]) : [];
}

function refuse(param: string, why: string): never {
  throw new GatewayError('bad_request', `${param} ${why}.`, { param });
}
