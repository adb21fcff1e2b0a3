import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { crossChecks, GatewayError, type JsonObject, type RequestKind, requestSchemas } from 'portcullis/sdk';
import { refusalOf } from './refusal.ts';

// It stops at the first fault: the schemas hold no unions, so that fault is the one to report, and a hostile body
// cannot make it collect millions. Tests hold the schemas against their own; tidying the code of a check takes as long
// as making it, and runs no faster.
const ajv = new Ajv2020({
  verbose: true,
  strictTypes: false,
  strictRequired: false,
  strictTuples: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
});
ajv.addVocabulary(['accepts']);

const compiled = new Map<RequestKind, ValidateFunction>();

function validatorOf(kind: RequestKind): ValidateFunction {
  const known = compiled.get(kind);
  if (known !== undefined) return known;
  const validator = ajv.compile(requestSchemas[kind]);
  compiled.set(kind, validator);
  return validator;
}

/**
 * Checks a client's body against its schema and the rules between its fields. The schema is compiled at the first body
 * of a kind.
 * @throws GatewayError `bad_request`, whose `param` is the field (`messages[0].role`) and whose message says what it
 * takes. Texts of the caller are never repeated, except short words where a word of a list is expected.
 */
export function validateRequest(kind: RequestKind, body: JsonObject, options: { strict: boolean }): void {
  const validator = validatorOf(kind);
  if (!validator(body)) {
    const { param, message } = refusalOf(validator.errors?.[0], body);
    throw new GatewayError('bad_request', message, param === '' ? {} : { param });
  }
  const refusal = crossChecks(kind, body, options);
  if (refusal !== undefined) throw new GatewayError('bad_request', refusal.message, { param: refusal.param });
}
