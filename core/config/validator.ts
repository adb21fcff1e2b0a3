import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json } from 'portcullis/sdk';
import { isWithin } from '../json-size.ts';
import { linearExpression } from './linear-expression.ts';

// Schemas of this repository are not held against JSON Schema's own, which takes longer than to compile them all.
const checking = {
  allErrors: true,
  verbose: true,
  strict: false,
  validateFormats: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
} as const;
const checker = new Ajv2020(checking);
const stopper = new Ajv2020({ ...checking, allErrors: false });
const filler = new Ajv2020({ ...checking, useDefaults: true });
/** For schemas of others, made with the first. */
let carefulFiller: Ajv2020 | undefined;
/** For schemas of those whom the operator does not trust, made with the first. */
let boundedFiller: Ajv2020 | undefined;
/** Bytes of JSON. */
const maxBounded = 64 * 1024;
const tooLarge: ErrorObject = {
  keyword: 'maxBytes',
  instancePath: '',
  schemaPath: '#',
  params: {},
  parentSchema: { 'x-refused': `may have ${maxBounded} bytes of JSON at most` },
};

/** A compiled check of the schema that finds every fault. Compiled once for a schema. */
export function validatorOf(schema: object): ValidateFunction {
  return checker.compile(schema);
}

/** As `validatorOf`, but it stops at the first fault: what callers send may have a hundred thousand. */
export function stoppingValidatorOf(schema: object): ValidateFunction {
  return stopper.compile(schema);
}

/** As `validatorOf`, but it fills the schema's defaults into the value: give it a copy. */
export function fillingValidatorOf(schema: object): ValidateFunction {
  return filler.compile(schema);
}

/** As `fillingValidatorOf`, for a schema from elsewhere. @throws Error when it is no JSON Schema */
export function carefulValidatorOf(schema: object): ValidateFunction {
  return carefulOne().compile(schema);
}

/**
 * As `carefulValidatorOf`, for a schema of someone who is not trusted: it stops at the first fault, its patterns take linear time,
 * and it is not held against large values.
 * @throws Error when it is no JSON Schema
 */
export function boundedValidatorOf(schema: object): Validator {
  const regExp = Object.assign((pattern: string) => linearExpression(pattern), { code: 'linearExpression' });
  boundedFiller ??= new Ajv2020({
    ...checking,
    allErrors: false,
    useDefaults: true,
    code: { ...checking.code, regExp },
  });
  carefulOne().validateSchema(schema, true);
  const compiled = boundedFiller.compile(schema);
  const check: Validator = (value) => {
    if (!isWithin(value as Json, maxBounded)) {
      check.errors = [tooLarge];
      return false;
    }
    const fits = compiled(value);
    check.errors = compiled.errors;
    return fits;
  };
  return check;
}

function carefulOne(): Ajv2020 {
  carefulFiller ??= new Ajv2020({ ...checking, useDefaults: true, meta: true, validateSchema: true });
  return carefulFiller;
}

/** A check of a value, with its faults after each call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null | undefined;
}

/** Compiles when it is asked for the first time: of the many schemas of all units, a gateway uses few. */
export function lateValidator(compile: () => ValidateFunction): Validator {
  let compiled: ValidateFunction | undefined;
  const check: Validator = (value) => {
    compiled ??= compile();
    const fits = compiled(value);
    check.errors = compiled.errors;
    return fits;
  };
  return check;
}
