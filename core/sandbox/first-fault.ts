import { Ajv2020 } from 'ajv/dist/2020.js';
import { faultSentence, schemaFaults } from '../config/schema-faults.ts';

/** What comes from a guest may be made to have a hundred thousand faults: after the first one, nobody looks further. */
const checker = new Ajv2020({ allErrors: false, verbose: true, strict: false, validateFormats: false });

/** A check that says the first thing which the schema refuses, as a sentence; undefined: nothing. */
export function firstFaultOf(schema: object): (value: unknown) => string | undefined {
  const fits = checker.compile(schema);
  return (value) => {
    if (fits(value)) return undefined;
    const [fault] = schemaFaults(fits.errors, value);
    return fault === undefined ? 'it has another shape.' : faultSentence(fault, 'it').slice(0, 500);
  };
}
