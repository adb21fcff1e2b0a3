import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { faultSentence, schemaFaults } from '../config/schema-faults.ts';

/** What comes from a guest may be made to have a hundred thousand faults: after the first one, nobody looks further. */
const checker = new Ajv2020({
  allErrors: false,
  verbose: true,
  strict: false,
  validateFormats: false,
  // The schemas are ours.
  meta: false,
  validateSchema: false,
});

/** A check that says the first thing which the schema refuses, as a sentence; undefined: nothing. Compiled when it is first asked. */
export function firstFaultOf(schema: object): (value: unknown) => string | undefined {
  let compiled: ValidateFunction | undefined;
  return (value) => {
    compiled ??= checker.compile(schema);
    const fits = compiled;
    if (fits(value)) return undefined;
    const [fault] = schemaFaults(fits.errors, value);
    return fault === undefined ? 'it has another shape.' : faultSentence(fault, 'it').slice(0, 500);
  };
}
