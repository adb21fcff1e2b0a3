import type { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { GatewayError } from 'portcullis/sdk';

/** Answers that say that a name has no address; any other fault says that DNS could not be asked. */
const absent: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Whether a host has an address; one that is an address itself has.
 * @throws GatewayError `check_failed` when DNS gives no answer
 */
export async function resolves(resolver: Resolver, hostname: string): Promise<boolean> {
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return true;
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  let silent: unknown;
  for (const answer of answers) {
    if (answer.status === 'fulfilled' && answer.value.length > 0) return true;
    if (answer.status === 'rejected' && !absent.has(answer.reason?.code)) silent = answer.reason;
  }
  if (silent === undefined) return false;
  throw new GatewayError('check_failed', 'The hosts of the URLs could not be looked up: DNS gave no answer.', {
    cause: silent,
  });
}
