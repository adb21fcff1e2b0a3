import ipaddr from 'ipaddr.js';
import { embeddedV4, spellings } from './embedded.ts';

/** `public`: any URL may lead there. `internal`: only a trusted host may. `never`: nobody may. */
export type AddressKind = 'public' | 'internal' | 'never';

/** Where clouds serve credentials outside the link-local ranges, which are refused as a whole. */
const secretRanges = [
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure host
  '192.0.0.192/32', // Oracle
  'fd00:ec2::/32', // AWS
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fd00:42::42/128', // Scaleway
  'fd20:ce::254/128', // Google
  '64:ff9b:1::/48', // local NAT64 (RFC 8215): which bits hold the IPv4 address is unknown, it may be any of those above
].map((range) => ipaddr.parseCIDR(range));

const neverRanges: ReadonlySet<string> = new Set(['linkLocal', 'multicast', 'broadcast', 'unspecified']);

const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Who may be led to an address. What is not an address counts as `never`. */
export function addressKind(address: string): AddressKind {
  if (!ipaddr.isValid(address)) return 'never';
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 ? kindOfV6(parsed) : kindOfV4(parsed);
}

/** The one spelling under which two notations of an IP address compare equal. */
export function canonicalAddress(address: string): string {
  return ipaddr.parse(address).toString();
}

/** Whether an IPv6 address is only another way to write an IPv4 address. */
export function spellsV4(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 && embeddedV4(parsed).some(({ form }) => spellings.has(form));
}

export function isInRange(address: string, range: readonly [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  return matches(ipaddr.parse(address), range);
}

function kindOfV4(address: ipaddr.IPv4): AddressKind {
  const range = address.range();
  if (neverRanges.has(range) || isSecret(address)) return 'never';
  return range === 'unicast' ? 'public' : 'internal';
}

function kindOfV6(address: ipaddr.IPv6): AddressKind {
  const range = address.range();
  if (neverRanges.has(range) || isSecret(address)) return 'never';
  const embedded = embeddedV4(address).map(({ form, address: v4 }) => ({ form, kind: kindOfV4(v4) }));
  if (embedded.some(({ kind }) => kind === 'never')) return 'never';
  // Networks without IPv4 reach the public IPv4 internet through this prefix (DNS64), so it is judged by what it carries.
  const nat64 = embedded.find(({ form }) => form === 'nat64');
  if (nat64) return nat64.kind;
  // ipaddr.js calls every unlisted block "unicast", ::/96 among them; only 2000::/3 is in public use (RFC 4291 2.4).
  if (range !== 'unicast' || !matches(address, globalUnicast)) return 'internal';
  return embedded.some(({ kind }) => kind === 'internal') ? 'internal' : 'public';
}

function isSecret(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return secretRanges.some((range) => matches(address, range));
}

function matches(address: ipaddr.IPv4 | ipaddr.IPv6, range: readonly [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  const [base, bits] = range;
  return address.kind() === base.kind() && address.match(base, bits);
}
