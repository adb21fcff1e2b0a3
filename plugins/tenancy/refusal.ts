import { GatewayError } from 'portcullis/sdk';

/** A refusal that says what is wrong with one field: `name must not be empty.` */
export function refusal(param: string, why: string): GatewayError {
  return new GatewayError('bad_request', `${param} ${why}.`, { param });
}
