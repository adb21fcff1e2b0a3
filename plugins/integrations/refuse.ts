import { GatewayError } from 'portcullis/sdk';

/** @throws GatewayError `bad_request` always: the field and what is wrong with it, as one sentence */
export function refuse(param: string, why: string): never {
  throw new GatewayError('bad_request', `${param} ${why}.`, { param });
}
