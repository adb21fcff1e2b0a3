import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { GatewayError } from 'portcullis/sdk';
import { canonicalAddress, isInRange, spellsV4 } from './addresses.ts';
import { isWithin, shapeFault } from './hosts.ts';

/** Whether the operator trusts a host (lower case, IPv6 without brackets) on a port. */
export type Trust = (host: string, port: number) => boolean;

/** Reads the entries of `TRUSTED_CUSTOM_HOSTS`; throws `invalid_config` on one that could never match. */
export function readTrust(entries: readonly string[]): Trust {
  const rules = entries.filter((entry) => entry.trim() !== '').map(readEntry);
  return (host, port) => rules.some((rule) => rule(host, port));
}

function readEntry(entry: string): Trust {
  const text = entry.trim().toLowerCase();
  if (text.includes('/')) return cidrRule(entry, text);
  const { host, port } = splitPort(entry, text);
  const rule = isIP(host) ? addressRule(entry, host) : nameRule(entry, host);
  return (candidate, candidatePort) => (port === undefined || port === candidatePort) && rule(candidate);
}

function cidrRule(entry: string, text: string): Trust {
  if (!ipaddr.isValidCIDR(text)) throw unusable(entry, 'a range is written as 10.0.0.0/8');
  const range = ipaddr.parseCIDR(text);
  return (host) => isIP(host) !== 0 && isInRange(host, range);
}

function splitPort(entry: string, text: string): { host: string; port: number | undefined } {
  if (isIP(text) === 6) return { host: text, port: undefined };
  const parts = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<name>[^:[\]]+))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups;
  const host = parts?.v6 ?? parts?.name;
  if (host === undefined) throw unusable(entry, 'it is neither a host nor host:port');
  const port = parts?.port === undefined ? undefined : Number(parts.port);
  if (port !== undefined && (port < 1 || port > 65535)) throw unusable(entry, 'a port is 1 to 65535');
  if (parts?.v6 !== undefined && isIP(host) !== 6) throw unusable(entry, 'the brackets hold no IPv6 address');
  return { host, port };
}

function addressRule(entry: string, host: string): (candidate: string) => boolean {
  if (spellsV4(host)) throw unusable(entry, 'write the IPv4 address in dotted form');
  const address = canonicalAddress(host);
  return (candidate) => isIP(candidate) !== 0 && canonicalAddress(candidate) === address;
}

function nameRule(entry: string, host: string): (candidate: string) => boolean {
  const wildcard = host.startsWith('*.');
  const name = wildcard ? host.slice(2) : host;
  const fault = shapeFault(name);
  if (fault) throw unusable(entry, fault);
  return (candidate) => (wildcard ? candidate.endsWith(`.${name}`) : isWithin(candidate, name));
}

function unusable(entry: string, why: string): GatewayError {
  const accepted = 'host, host:port, *.example.com, an IP address or a range such as 10.0.0.0/8';
  const message = `The trusted host "${entry}" cannot be used: ${why}. Accepted: ${accepted}.`;
  return new GatewayError('invalid_config', message, { param: 'TRUSTED_CUSTOM_HOSTS' });
}
