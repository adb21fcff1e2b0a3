import { GatewayError } from 'portcullis/sdk';

/** The token itself is at fault: 401. */
export function refuse(why: string): never {
  throw new GatewayError('unauthenticated', `The token ${why}.`);
}

/** The token may be good, and is not let in here: 403. */
export function forbid(sentence: string): never {
  throw new GatewayError('forbidden', sentence);
}
