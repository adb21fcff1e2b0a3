import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { asArray, asObject, GatewayError, type Json, type JsonObject, linearPattern } from 'portcullis/sdk';
import { unusable } from './parameters.ts';

export interface JsonFault {
  readonly [name: string]: string;
  /** JSON Pointer; '' is the whole. */
  readonly path: string;
  readonly message: string;
}

/** Gives the first fault, or undefined for a value that fits. @throws GatewayError `check_failed` when that takes too long */
export type JsonValidator = (value: Json) => JsonFault | undefined;

const maxSchemaLength = 65_536;
const maxSchemaDepth = 64;
const maxWork = 2_000_000;
const counting = 'x-portcullis-work';
/** Knows what a schema is; never keeps one. */
const grammar = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, logger: false });
const draft = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

/**
 * Compiles a JSON Schema 2020-12. Patterns are linear; references stay in the schema; `format` is an annotation.
 * @throws GatewayError `invalid_config`, `param` the place in the schema where it is known
 */
export function jsonValidator(schema: JsonObject): JsonValidator {
  if (JSON.stringify(schema).length > maxSchemaLength)
    throw unusable('schema', `schema may have ${maxSchemaLength} characters at most.`);
  if (schema.$schema !== undefined && !draft.test(String(schema.$schema)))
    throw unusable('schema.$schema', 'schema.$schema must be absent or https://json-schema.org/draft/2020-12/schema.');
  if (schema.$async !== undefined) throw unusable('schema.$async', 'schema.$async is not accepted.');
  checkGrammar(schema);
  let work = 0;
  const spend = (value: unknown) => {
    work += 1 + (Array.isArray(value) ? value.length : Object.keys(asObject(value) ?? {}).length);
    if (work > maxWork) throw new GatewayError('check_failed', 'Checking the JSON against the schema takes too long.');
    return true;
  };
  const validate = compiled(counted(schema, 'schema', { depth: 0, names: false }) as JsonObject, spend);
  return (value) => {
    work = 0;
    if (fits(validate, value)) return undefined;
    const [fault] = validate.errors ?? [];
    return {
      path: (fault?.instancePath ?? '').slice(0, 500),
      message: (fault?.message ?? 'does not fit').slice(0, 500),
    };
  };
}

function checkGrammar(schema: JsonObject): void {
  if (grammar.validateSchema(schema) === true) return;
  const [fault] = grammar.errors ?? [];
  const at = `schema${(fault?.instancePath ?? '').replaceAll('/', '.')}`.slice(0, 200);
  throw unusable(at, `${at} is no valid JSON Schema 2020-12: it ${(fault?.message ?? 'does not fit').slice(0, 300)}.`);
}

function fits(validate: ValidateFunction, value: Json): boolean {
  try {
    return validate(value);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new GatewayError('check_failed', 'The JSON or the schema is nested too deeply to be checked.', { cause });
  }
}

function compiled(schema: JsonObject, spend: (value: unknown) => boolean): ValidateFunction {
  // Ajv tells patterns apart by their text.
  const pattern = (source: string) => ({
    test: linearPattern(source, 'u', 'schema').test,
    toString: () => `pattern ${source}`,
  });
  const ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
    code: { regExp: Object.assign(pattern, { code: 'linear' }) },
  });
  ajv.addKeyword({ keyword: counting, errors: false, validate: (_: unknown, value: unknown) => spend(value) });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not hold the same item twice' },
    validate: (wanted: boolean, items: readonly Json[]) =>
      !wanted || new Set(items.map(canonical)).size === items.length,
  });
  try {
    return ajv.compile(schema);
  } catch (cause) {
    if (GatewayError.is(cause)) throw cause;
    const why = cause instanceof Error ? cause.message : 'it cannot be compiled';
    throw unusable('schema', `schema is no valid JSON Schema 2020-12: ${why.slice(0, 500)}.`);
  }
}

/** The same text for equal values. */
function canonical(value: Json): string {
  const object = asObject(value);
  if (object === undefined) return Array.isArray(value) ? `[${asArray(value).map(canonical)}]` : JSON.stringify(value);
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(object[key] ?? null)}`);
  return `{${members}}`;
}

/** Keywords whose members are named by the author, and are no keywords themselves. */
const naming = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const values = new Set(['const', 'enum', 'default', 'examples']);

interface Place {
  readonly depth: number;
  readonly names: boolean;
}

/**
 * The schema with a keyword at each reference that counts how often it is followed: references to references are the one
 * way in which a few lines of schema cost more than the product of both sizes.
 */
function counted(value: Json, param: string, { depth, names }: Place): Json {
  if (depth > maxSchemaDepth) throw unusable(param.slice(0, 200), 'schema is nested too deeply.');
  if (Array.isArray(value))
    return asArray(value).map((item, at) => counted(item, `${param}[${at}]`, { depth: depth + 1, names: false }));
  const object = asObject(value);
  if (object === undefined) return value;
  const members = Object.entries(object).map(([name, member]): [string, Json] => {
    if (name === '__proto__' || (!names && name === counting))
      throw unusable(param.slice(0, 200), `schema holds the name ${name}, which is not accepted.`);
    const kept = !names && values.has(name);
    const inner = { depth: depth + 1, names: !names && naming.has(name) };
    return [name, kept ? member : counted(member, `${param}.${name}`, inner)];
  });
  const refers = !names && ['$ref', '$dynamicRef', '$recursiveRef'].some((name) => typeof object[name] === 'string');
  return Object.fromEntries(refers ? [[counting, true], ...members] : members);
}
