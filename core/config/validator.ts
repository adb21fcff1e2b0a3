import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

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
  carefulFiller ??= new Ajv2020({ ...checking, useDefaults: true, meta: true, validateSchema: true });
  return carefulFiller.compile(schema);
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
