import { hash, timingSafeEqual } from 'node:crypto';
import { GatewayError } from 'portcullis/sdk';

const shortest = 32;

/**
 * Tells whether a text is the service token, in a time that does not depend on how much of it is right.
 * @throws GatewayError `invalid_config` for a token of fewer than 32 characters
 */
export function tokenCheck(token: string): (given: string | undefined) => boolean {
  if (token.length < shortest) {
    throw new GatewayError('invalid_config', `SERVICE_TOKEN must have at least ${shortest} characters.`, {
      param: 'SERVICE_TOKEN',
    });
  }
  const wanted = hash('sha256', token, 'buffer');
  return (given) => given !== undefined && timingSafeEqual(hash('sha256', given, 'buffer'), wanted);
}
