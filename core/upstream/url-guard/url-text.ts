import { isIP } from 'node:net';
import { spellsV4 } from './addresses.ts';
import { shapeFault } from './hosts.ts';
import { refusal } from './refusal.ts';

const maxUrlLength = 2048;

export interface UrlText {
  readonly url: URL;
  /** Lower case; an IPv6 address without its brackets. */
  readonly host: string;
  /** The scheme's own port when the URL names none. */
  readonly port: number;
}

/**
 * Reads a URL of which every parser must see the same host. The raw text is judged before the URL parser sees it,
 * because that parser silently repairs backslashes, tabs, odd IP notations and missing slashes.
 */
export function readUrlText(text: string, field: string): UrlText {
  const fault = wholeFault(text);
  if (fault) throw refusal(field, fault);
  const authority = /^https?:\/\/([^/?]*)/i.exec(text)?.[1] ?? '';
  const authorityProblem = authorityFault(authority);
  if (authorityProblem) throw refusal(field, authorityProblem);

  if (!URL.canParse(text)) throw refusal(field, 'it is not a valid URL; the port must be 1 to 65535');
  const url = new URL(text);
  const host = bareHost(url.hostname);
  const port = portOf(url.port, url.protocol);
  if (port === 0) throw refusal(field, 'the port must be 1 to 65535');
  if (isIP(host) === 6) {
    if (spellsV4(host))
      throw refusal(field, 'an IPv4 address inside IPv6 is not accepted; write the address in dotted form');
  } else if (host !== hostOf(authority)) {
    // Reached only if the parser repairs something that the checks above do not know yet.
    throw refusal(field, 'the host can be read in more than one way; write a plain host name');
  }
  return { url, host, port };
}

/** A host as `URL` or undici names it, without the brackets of IPv6. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

/** The effective port of a URL's `port` and `protocol`. */
export function portOf(port: string, protocol: string): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function wholeFault(text: string): string | undefined {
  if (text.length > maxUrlLength) return `it is longer than ${maxUrlLength} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  if (/[\s\u0000-\u001f\u007f-\u009f]/.test(text))
    return 'white space and control characters are not accepted in a URL';
  if (text.includes('\\')) return 'a backslash is not accepted in a URL';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'it is not an absolute URL; start it with https:// or http://';
  if (scheme !== 'http' && scheme !== 'https') return 'only http and https URLs are accepted';
  if (!/^https?:\/\//i.test(text)) return 'it is not an absolute URL; start it with https:// or http://';
  if (text.includes('#')) return 'a fragment (#) is not accepted in a URL';
  return undefined;
}

function authorityFault(authority: string): string | undefined {
  if (authority.includes('@'))
    return 'user names and passwords are not accepted in a URL; send credentials as a header';
  if (authority.includes('%')) return 'percent signs are not accepted in the host';
  const host = hostOf(authority);
  if (host === '') return 'the host is missing';
  const port = authority.slice(host.length);
  if (host.startsWith('[')) {
    if (isIP(host.slice(1, -1)) !== 6) return 'the brackets do not hold an IPv6 address';
  } else {
    const fault = shapeFault(host);
    if (fault) return fault;
  }
  return /^(:\d+)?$/.test(port) ? undefined : 'the port must be 1 to 65535';
}

/** The host of a raw authority without user info: up to the closing bracket, or up to the first colon. */
function hostOf(authority: string): string {
  return (/^\[[^\]]*\]/.exec(authority)?.[0] ?? /^[^:]*/.exec(authority)?.[0] ?? '').toLowerCase();
}
