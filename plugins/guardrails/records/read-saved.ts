import {
  asArray,
  asObject,
  type Checks,
  GatewayError,
  type Json,
  type JsonObject,
  type Operation,
} from 'portcullis/sdk';
import { acceptSaved, readSaved } from '../definition/saved.ts';
import { principalOf } from './principal.ts';
import { refuseMaskedChecks } from './secret-parameters.ts';

const longest = 1_048_576;
const acceptMs = 5_000;

/** A guardrail as it is kept, credentials and all. */
export interface Saved {
  readonly checks: readonly JsonObject[];
  readonly actions: JsonObject;
}

/**
 * A guardrail of a body, looked at as deeply as it will be when it runs.
 * @throws GatewayError `bad_request` or `invalid_config`, `param` such as `checks[0].parameters.words`
 */
export async function acceptedGuardrail(
  operation: Operation,
  known: Checks,
  given: { readonly checks?: Json | undefined; readonly actions?: Json | undefined },
): Promise<Saved> {
  const checks = asArray(given.checks);
  if (JSON.stringify(checks).length > longest) {
    throw new GatewayError('bad_request', `checks must have at most ${longest} characters as JSON.`, {
      param: 'checks',
    });
  }
  refuseMaskedChecks(checks, known);
  const saved = readSaved({ checks, actions: asObject(given.actions) ?? {} }, known);
  const principal = principalOf(operation);
  await operation.aside(JSON.stringify(saved), () => inTime(acceptSaved(saved, known, { principal })));
  return saved;
}

/** Its caller waits. */
async function inTime(accepting: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `The checks could not be looked at within ${acceptMs} ms. Try again in a moment.`;
      reject(new GatewayError('not_ready', message, { param: 'checks', headers: { 'retry-after': '1' } }));
    }, acceptMs);
  });
  try {
    await Promise.race([accepting, late]);
  } finally {
    clearTimeout(timer);
  }
}
