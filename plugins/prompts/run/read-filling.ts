import { type JsonObject, omit } from 'portcullis/sdk';
import { readOverrides } from '../body/overrides.ts';
import { readVariables } from '../template/variables.ts';
import type { Filling } from './versions.ts';

/** Clients send the reference, which the path has, in the body too. No field of a completion request goes by that name. */
const reference = new Set(['prompt_id']);

/**
 * What a call of a prompt is filled in with.
 * @throws GatewayError `bad_request` naming the member
 */
export function readFilling(body: JsonObject): Filling {
  return { variables: readVariables(body.variables), overrides: readOverrides(omit(body, reference)) };
}
