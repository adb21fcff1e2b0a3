import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { GatewayError } from './errors.ts';
import { asArray, asObject, type Json, type JsonObject } from './json.ts';

/** Bounds of a metadata schema, and of what it is applied to. */
export const metadataSchemaLimits = {
  maxBytes: 16_384,
  maxProperties: 100,
  maxDepth: 12,
  maxValueLength: 128,
} as const;

/**
 * Keywords that would let a schema of a few lines cost minutes, or reach elsewhere: metadata is a flat map of short
 * strings, for which `enum`, `const`, lengths and combinations say enough.
 */
const refused = new Set(['$ref', '$id', 'id', 'pattern', 'patternProperties', '$async']);
const draft = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

/**
 * Checks a JSON Schema (draft-07) for the metadata of keys or workspaces before it is stored: `type` is `object`, its
 * properties are strings, it holds no references and no regular expressions; `format` is not looked at.
 * @throws GatewayError `bad_request`, `param` the place in the schema
 */
export function checkMetadataSchema(schema: unknown, param: string): asserts schema is JsonObject {
  const root = asObject(schema);
  if (root === undefined) throw fault(param, 'must be a JSON Schema object');
  const { maxBytes, maxProperties } = metadataSchemaLimits;
  if (JSON.stringify(root).length > maxBytes) throw fault(param, `is longer than ${maxBytes} characters`);
  if (root.$schema !== undefined && !draft.test(String(root.$schema)))
    throw fault(`${param}.$schema`, 'must be draft-07, or absent');
  if (root.type !== 'object') throw fault(`${param}.type`, 'must be "object"');
  checkKeywords(root, param, { depth: 0, names: false });
  const properties = root.properties === undefined ? {} : asObject(root.properties);
  if (properties === undefined) throw fault(`${param}.properties`, 'must be an object');
  if (Object.keys(properties).length > maxProperties)
    throw fault(`${param}.properties`, `has more than ${maxProperties} members`);
  for (const [name, property] of Object.entries(properties))
    checkProperty(property, name, `${param}.properties.${name}`);
  compiled(root, param);
}

/**
 * The metadata with the schema's defaults filled in.
 * @param param where the metadata stands in the body, such as `defaults.metadata`
 * @throws GatewayError `bad_request`, `param` naming the member that does not fit
 */
export function applyMetadataSchema(
  schema: JsonObject,
  metadata: Readonly<Record<string, string>>,
  param: string,
): Record<string, string> {
  const { maxValueLength } = metadataSchemaLimits;
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== 'string' || value.length > maxValueLength)
      throw fault(`${param}.${name}`, `must be a string of at most ${maxValueLength} characters`);
  }
  const filled = { ...metadata };
  const validate = compiled(schema, param);
  if (validate(filled)) return filled;
  throw mismatch(validate.errors?.[0], param);
}

/** By the schema itself: what the directory hands out stays the same object until it changes. */
const known = new WeakMap<JsonObject, ValidateFunction>();

function compiled(schema: JsonObject, param: string): ValidateFunction {
  const validate = known.get(schema) ?? compile(schema, param);
  known.set(schema, validate);
  return validate;
}

function compile(schema: JsonObject, param: string): ValidateFunction {
  // A validator of its own: one that is shared would keep every schema that it ever saw.
  const ajv = new Ajv({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    validateFormats: false,
    useDefaults: true,
    addUsedSchema: false,
    logger: false,
  });
  try {
    return ajv.compile(schema);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it cannot be compiled';
    throw new GatewayError('bad_request', `${param} is no valid JSON Schema: ${why}.`, { param, cause });
  }
}

/** Keywords whose members are named by metadata, and are no keywords themselves. */
const naming = new Set(['properties', 'dependencies']);

interface Place {
  readonly depth: number;
  /** Whether the members are names of metadata. A property may itself be called `properties`, and is a schema all the same. */
  readonly names: boolean;
}

function checkKeywords(value: Json, param: string, { depth, names }: Place): void {
  if (depth > metadataSchemaLimits.maxDepth) throw fault(param, 'is nested too deeply');
  if (Array.isArray(value)) {
    for (const [index, item] of asArray(value).entries())
      checkKeywords(item, `${param}[${index}]`, { depth: depth + 1, names: false });
    return;
  }
  for (const [name, member] of Object.entries(asObject(value) ?? {})) {
    if (!names && refused.has(name)) throw fault(`${param}.${name}`, 'is a keyword that metadata schemas may not use');
    if (name === '__proto__') throw fault(param, 'has a member of a name that is not accepted');
    if (!names && (name === 'enum' || name === 'const' || name === 'default' || name === 'examples')) continue;
    checkKeywords(member, `${param}.${name}`, { depth: depth + 1, names: !names && naming.has(name) });
  }
}

function checkProperty(property: Json, name: string, param: string): void {
  const rules = asObject(property);
  if (rules === undefined) throw fault(param, 'must be a schema object');
  if (rules.type !== undefined && rules.type !== 'string')
    throw fault(`${param}.type`, `must be "string": every value of metadata is one, ${name} too`);
  if (rules.default !== undefined && typeof rules.default !== 'string')
    throw fault(`${param}.default`, 'must be a string');
}

function fault(param: string, why: string): GatewayError {
  return new GatewayError('bad_request', `${param} ${why}.`, { param });
}

/** One sentence that says what is accepted. */
function mismatch(error: ErrorObject | undefined, param: string): GatewayError {
  if (error === undefined) return fault(param, 'does not fit the metadata schema of the organisation');
  const facts = error.params as Readonly<Record<string, unknown>>;
  const missing = facts.missingProperty ?? facts.additionalProperty;
  const member = typeof missing === 'string' ? missing : error.instancePath.slice(1).replaceAll('/', '.');
  const at = member === '' ? param : `${param}.${member}`;
  if (error.keyword === 'required') return fault(at, 'is required by the metadata schema of the organisation');
  if (error.keyword === 'additionalProperties')
    return fault(at, 'is not among the names that the metadata schema of the organisation accepts');
  if (error.keyword === 'enum') {
    const accepted = asArray(facts.allowedValues).slice(0, 20).map(String).join(', ');
    return fault(at, `must be one of ${accepted}, by the metadata schema of the organisation`);
  }
  return fault(at, `${error.message ?? 'does not fit'}, by the metadata schema of the organisation`);
}
