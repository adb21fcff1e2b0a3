import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const checking = { allErrors: true, verbose: true, strict: false, validateFormats: false } as const;
const checker = new Ajv2020(checking);
const filler = new Ajv2020({ ...checking, useDefaults: true });

/** A compiled check of the schema that finds every fault. Compiled once for a schema. */
export function validatorOf(schema: object): ValidateFunction {
  return checker.compile(schema);
}

/** As `validatorOf`, but it fills the schema's defaults into the value: give it a copy. */
export function fillingValidatorOf(schema: object): ValidateFunction {
  return filler.compile(schema);
}
