import type { JsonObject } from 'portcullis/sdk';
import { withoutVariables } from '../body/parameters.ts';

/**
 * Parameters as they are shown: with each variable of the template, empty. Clients send all of it back, so a variable
 * that would stay a parameter then is not among them.
 */
export function withVariables(parameters: JsonObject, variables: readonly string[]): JsonObject {
  const empty = Object.fromEntries(variables.map((name) => [name, '']));
  const staying = withoutVariables(empty, new Set(variables));
  const shown = Object.entries(empty).filter(([name]) => !Object.hasOwn(staying, name));
  return { ...Object.fromEntries(shown), ...parameters };
}
