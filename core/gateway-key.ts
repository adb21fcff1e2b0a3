import type { Principal, RequestHeaders } from 'portcullis/sdk';

/** Headers in which clients of any vendor put the key of their gateway; one SDK has a header like it for its provider. */
const ownHeader = /^x-(?!goog-)[a-z0-9-]+-api-key$/;

/**
 * Whether a header holds what the gateway knows its caller by. Clients that are set up with that key put it into several
 * headers: a provider must not get it from the others.
 */
export function holdsGatewayKey(name: string, headers: RequestHeaders, { kind, consumed }: Principal): boolean {
  if (name === consumed) return true;
  const value = headers[name];
  if (value === undefined) return false;
  const holds = (other: string) => headers[other] !== undefined && bare(headers[other]) === bare(value);
  if (consumed !== undefined) return holds(consumed);
  return kind !== 'anonymous' && Object.keys(headers).some((other) => ownHeader.test(other) && holds(other));
}

function bare(value: string): string {
  return value.replace(/^bearer\s+/i, '').trim();
}
