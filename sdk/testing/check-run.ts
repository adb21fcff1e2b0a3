import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { AnyCheck, CheckHost, CheckInput, Verdict } from '../contracts/guardrail.ts';
import type { MaybePromise } from '../contracts/plugin.ts';
import { GatewayError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { createCheckHost } from './check-host.ts';
import { verdictFaults } from './check-verdict.ts';

const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false, useDefaults: true });
const validators = new WeakMap<object, ValidateFunction>();

/** A check with parameters that fit it: defaults filled in, patterns compiled. */
export interface TestedCheck {
  /** @throws GatewayError what the check refuses to be saved with */
  accept(host: CheckHost): Promise<void>;
  run(input: CheckInput, host: CheckHost): MaybePromise<Verdict>;
}

/**
 * Checks the parameters as the gateway does, on a copy, and prepares them.
 * @throws GatewayError `invalid_config`, `param` naming the parameter
 */
export function readyCheck(check: AnyCheck, parameters: JsonObject): TestedCheck {
  const config = structuredClone(parameters);
  const fits = validatorOf(check.config);
  if (!fits(config)) throw misfit(fits.errors ?? []);
  const ready = check.prepare === undefined ? config : check.prepare(config as never);
  return {
    accept: async (host) => check.accept?.(ready as never, host as never),
    run: (input, host) => check.run(input, ready as never, host as never),
  };
}

/**
 * Runs a check once, on parameters that are checked and filled as the gateway does.
 * @throws GatewayError `invalid_config` for parameters that do not fit, and whatever the check throws
 * @throws Error for a verdict that the runner would not accept
 */
export async function runCheck(
  check: AnyCheck,
  parameters: JsonObject,
  input: CheckInput,
  host: CheckHost = createCheckHost(),
): Promise<Verdict> {
  const verdict = await readyCheck(check, parameters).run(input, host);
  const faults = verdictFaults(check, input, verdict);
  if (faults.length > 0) throw new Error(`The verdict of "${check.title}" ${faults.join('; it ')}.`);
  return verdict;
}

function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const made = ajv.compile(schema);
  validators.set(schema, made);
  return made;
}

function misfit(errors: readonly ErrorObject[]): GatewayError {
  const faults = errors.map((error) => ({ param: paramOf(error), message: error.message ?? 'is not valid' }));
  const text = faults.map(({ param, message }) => `${param === '' ? 'they' : param} ${message}`).join('; ');
  const [first] = faults;
  const param = first?.param ?? '';
  return new GatewayError('invalid_config', `The parameters do not fit: ${text}.`, param === '' ? {} : { param });
}

/** `/words/0` -> `words[0]`; a key that is missing or unknown is named itself. */
function paramOf({ instancePath, params }: ErrorObject): string {
  const key = params.missingProperty ?? params.additionalProperty;
  const tokens = [...instancePath.split('/').slice(1), ...(typeof key === 'string' ? [key] : [])];
  return tokens.map((token, at) => (/^\d+$/.test(token) ? `[${token}]` : at === 0 ? token : `.${token}`)).join('');
}
