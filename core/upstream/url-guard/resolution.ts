import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { GatewayError } from 'portcullis/sdk';
import { type AddressKind, addressKind } from './addresses.ts';
import { refusal } from './refusal.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds the addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface Destination {
  readonly host: string;
  readonly trusted: boolean;
  /** The field that errors name. */
  readonly field: string;
}

/** The system's resolver, with the hosts file and the search list that the rest of the machine uses. */
export const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

const literalFaults: Record<AddressKind, string> = {
  public: '',
  internal:
    'private, loopback and reserved addresses are not accepted; only a host that the operator trusts may be one',
  never:
    'cloud metadata, link-local, multicast and unspecified addresses are never called, not even when they are trusted',
};

const resolvedFaults: Record<AddressKind, string> = {
  public: '',
  internal: 'the host does not resolve to public addresses only; a private one needs a host that the operator trusts',
  never: 'the host resolves to an address that is never called, such as cloud metadata, not even when it is trusted',
};

/** Throws when an IP address that stands in the URL itself may not be called. */
export function checkLiteral({ host, trusted, field }: Destination): void {
  const kind = addressKind(host);
  if (!isAllowed(kind, trusted)) throw refusal(field, literalFaults[kind]);
}

/**
 * Resolves a host name and returns its addresses when every one of them may be called: one bad address refuses all,
 * or the caller could try until the connection takes it.
 * Throws `url_blocked`; `upstream_unreachable` when the name has no address.
 */
export async function resolveChecked(resolve: Resolve, to: Destination): Promise<readonly ResolvedAddress[]> {
  const found = await findAddresses(resolve, to);
  if (found.length === 0) throw unresolvable(to.field);
  for (const { address } of found) {
    const kind = addressKind(address);
    if (!isAllowed(kind, to.trusted)) throw refusal(to.field, resolvedFaults[kind]);
  }
  // The family is read off the address: a connection goes by it, so it is not left to the resolver's word.
  return found.map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
}

async function findAddresses(resolve: Resolve, to: Destination): Promise<readonly ResolvedAddress[]> {
  try {
    return await resolve(to.host);
  } catch (cause) {
    throw unresolvable(to.field, cause);
  }
}

function isAllowed(kind: AddressKind, trusted: boolean): boolean {
  return kind === 'public' || (kind === 'internal' && trusted);
}

function unresolvable(field: string, cause?: unknown): GatewayError {
  const message = `The host of ${field} could not be resolved; it must be a name with an address in DNS.`;
  return new GatewayError('upstream_unreachable', message, { param: field, cause });
}
