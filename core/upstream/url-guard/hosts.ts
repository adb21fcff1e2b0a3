import { isIPv4 } from 'node:net';

const maxLabels = 10;

/** Names under which clouds serve credentials to their machines, with everything below them. */
const metadataNames = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.com',
  'metadata.azure.internal',
  'metadata.ec2.internal',
  'metadata.tencentyun.com',
  'metadata.oraclecloud.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
  'instance-data',
  'instance-data.ec2.internal',
];

/** Top-level names that never belong to a public host. */
const internalSuffixes = [
  ...['local', 'localdomain', 'internal', 'intranet', 'lan', 'home', 'home.arpa', 'corp', 'private', 'svc'],
  ...['test', 'invalid', 'onion', 'localhost'],
];

/** Public domains whose names resolve to whatever address the caller writes into them, or to loopback. */
const rebindingSuffixes = [
  ...['nip.io', 'sslip.io', 'xip.io', 'xip.name', 'traefik.me', 'backname.io', 'ip.st'],
  ...['localtest.me', 'lvh.me', 'vcap.me', 'lacolhost.com', 'localho.st', 'local.gd'],
  ...['1u.ms', 'rbndr.us', 'rebind.network', 'rebind.it'],
];

/** Whether `host` is `name` or lies below it. */
export function isWithin(host: string, name: string): boolean {
  return host === name || host.endsWith(`.${name}`);
}

/** Why a host is no plain DNS name or dotted IPv4 address. Holds for trusted hosts too: trust is no licence for riddles. */
export function shapeFault(host: string): string | undefined {
  if (/[^\p{ASCII}]/u.test(host)) return 'international host names are not accepted; use a plain ASCII host name';
  if (!/^[a-z0-9.-]+$/.test(host)) return 'the host may hold only letters, digits, dots and hyphens';
  if (host.endsWith('.')) return 'the host must not end in a dot';
  const labels = host.split('.');
  if (labels.includes('')) return 'the host has an empty label; write it without double or leading dots';
  if (labels.length > maxLabels) return `the host has more than ${maxLabels} labels`;
  if (host.length > 253 || labels.some((label) => label.length > 63))
    return 'the host is longer than a DNS name can be';
  if (labels.some((label) => label.startsWith('xn--'))) {
    return 'punycode (xn--) host names are not accepted; use a plain ASCII host name';
  }
  // URL parsers read a numeric last label as an IPv4 address in decimal, octal, hexadecimal or short form.
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '') && !isIPv4(host)) {
    return 'the IP address is written in an unusual notation; write the address in dotted form';
  }
  return undefined;
}

/** Why a host name may never be called, whether trusted or not. */
export function metadataNameFault(host: string): string | undefined {
  if (!metadataNames.some((name) => isWithin(host, name))) return undefined;
  return 'cloud metadata hosts are never called, not even when they are trusted';
}

/** Why a host name that the operator does not trust is refused. */
export function untrustedNameFault(host: string): string | undefined {
  const internal = internalSuffixes.find((suffix) => isWithin(host, suffix));
  if (internal) return `.${internal} names are internal; only a host that the operator trusts may be one`;
  if (!host.includes('.')) return 'single-label names are internal; write a full public host name';
  const rebinding = rebindingSuffixes.find((suffix) => isWithin(host, suffix));
  if (rebinding) return `${rebinding} names resolve to an address of the caller's choice; write the host itself`;
  return undefined;
}
