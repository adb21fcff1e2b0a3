import { asObject, GatewayError, type Json } from 'portcullis/sdk';
import { bounds } from './bounds.ts';

/** The values of a rendering by name. */
export type Variables = Readonly<Record<string, Json>>;

/**
 * Variables of a request: strings, as documented, or any other JSON.
 * @throws GatewayError `bad_request` when it is no object, or a value is no JSON or too deeply nested
 */
export function readVariables(value: unknown, param = 'variables'): Variables {
  const variables = asObject(value);
  if (variables === undefined) {
    throw new GatewayError('bad_request', `${param} must be an object of names and values.`, { param });
  }
  for (const name of Object.keys(variables)) {
    if (isJson(variables[name], bounds.valueDepth)) continue;
    const text = `${param}.${name.slice(0, 80)} must be JSON that nests at most ${bounds.valueDepth} levels deep.`;
    throw new GatewayError('bad_request', text, { param: `${param}.${name.slice(0, 80)}` });
  }
  return variables;
}

function isJson(value: unknown, levels: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || levels === 0) return false;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.every((member) => isJson(member, levels - 1));
}
