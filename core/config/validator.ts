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
/** Bytes of JSON that are held against a schema of those whom the operator does not trust. */
const maxBounded = 64 * 1024;
/** Such bytes times what the patterns of the schema cost: some 50 ms at the worst, in which nobody else is served. */
const maxWork = 20 * maxBounded;

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
 * and it is held against no more than they get through soon.
 * @throws Error when it is no JSON Schema
 */
export function boundedValidatorOf(schema: object): Validator {
  let cost = 0;
  const expression = (pattern: string) => {
    const made = linearExpression(pattern);
    cost += made.cost;
    return made;
  };
  const regExp = Object.assign(expression, { code: 'linearExpression' });
  carefulOne().validateSchema(schema, true);
  const own = new Ajv2020({ ...checking, allErrors: false, useDefaults: true, code: { ...checking.code, regExp } });
  const compiled = own.compile(schema);
  const most = Math.min(maxBounded, Math.floor(maxWork / cost));
  const check: Validator = (value) => {
    if (!isWithin(value as Json, most)) {
      check.errors = [tooLarge(most)];
      return false;
    }
    const fits = compiled(value);
    check.errors = compiled.errors;
    return fits;
  };
  return check;
}

function tooLarge(most: number): ErrorObject {
  const parentSchema = { 'x-refused': `may have ${most} bytes of JSON at most` };
  return { keyword: 'maxBytes', instancePath: '', schemaPath: '#', params: {}, parentSchema };
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
