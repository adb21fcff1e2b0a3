import { isIP } from 'node:net';
import { GatewayError } from 'portcullis/sdk';
import type { buildConnector } from 'undici';
import { type ConnectorOptions, createConnector } from './connector.ts';
import { metadataNameFault, shapeFault, untrustedNameFault } from './hosts.ts';
import { withPatience } from './patience.ts';
import { createPlaces } from './places.ts';
import { portFault } from './ports.ts';
import { refusal } from './refusal.ts';
import { checkLiteral, type Resolve, resolveChecked, systemResolve } from './resolution.ts';
import { readTrust } from './trust.ts';
import { readUrlText } from './url-text.ts';

export interface UrlGuardOptions {
  /**
   * The entries of `TRUSTED_CUSTOM_HOSTS`: `host` (with its subdomains, any port), `host:port` (that port only),
   * `*.example.com` (subdomains only), an IP address, or a range such as `10.0.0.0/8`. Addresses and ranges trust
   * URLs that hold the address itself, not names that resolve to it. Default: none.
   */
  readonly trustedHosts?: readonly string[];
  /** Finds the addresses of a host name. Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** How many resolutions `check` runs at once; further ones wait in line. Default 5. */
  readonly maxConcurrent?: number;
  /** Milliseconds that `check` waits for one resolution, without the wait in line. Default 5,000. */
  readonly resolveTimeoutMs?: number;
}

export interface CheckedUrl {
  readonly url: URL;
  /** Whether the operator lists the host, so that it may be an internal one. */
  readonly trusted: boolean;
}

export interface UrlGuard {
  /** Judges a URL by its text alone. Throws `url_blocked`, whose message names `field` and what is accepted. */
  checkText(url: string, field: string): CheckedUrl;
  /**
   * Judges a URL by its text and by every address that its host has now. It gives an early answer and no protection
   * by itself: the next resolution may differ, so the call must go through `connector()`.
   * Throws `url_blocked`, `upstream_unreachable` (no address), `upstream_connect_timeout` (no answer from DNS in time),
   * or the signal's reason.
   */
  check(url: string, field: string, signal?: AbortSignal): Promise<CheckedUrl>;
  /**
   * For undici's `connect`: resolves the host once, checks every address and connects to one of exactly those;
   * `Host` and SNI stay the name's. Checks addresses that stand in the URL too. Errors as those of `check`.
   */
  connector(options?: ConnectorOptions): buildConnector.connector;
}

/** Makes the guard through which every URL goes that a caller can influence (SSRF defence). */
export function createUrlGuard(options: UrlGuardOptions = {}): UrlGuard {
  const { trustedHosts = [], resolve = systemResolve, maxConcurrent = 5, resolveTimeoutMs = 5000 } = options;
  const isTrusted = readTrust(trustedHosts);
  const places = createPlaces(maxConcurrent);

  function judgeHost(host: string, port: number, field: string): boolean {
    const trusted = isTrusted(host, port);
    const fault = hostFault(host, trusted) ?? (trusted ? undefined : portFault(port));
    if (fault) throw refusal(field, fault);
    return trusted;
  }

  function judge(text: string, field: string): CheckedUrl & { readonly host: string } {
    const { url, host, port } = readUrlText(text, field);
    const trusted = judgeHost(host, port, field);
    if (isIP(host)) checkLiteral({ host, trusted, field });
    return { url, trusted, host };
  }

  return {
    checkText(text, field) {
      const { url, trusted } = judge(text, field);
      return { url, trusted };
    },

    async check(text, field, signal) {
      const { url, trusted, host } = judge(text, field);
      if (isIP(host)) return { url, trusted };
      const giveBack = await places.take(signal);
      try {
        const work = resolveChecked(resolve, { host, trusted, field });
        await withPatience(work, { timeoutMs: resolveTimeoutMs, signal, late: () => slowDns(field) });
      } finally {
        giveBack();
      }
      return { url, trusted };
    },

    connector(connectorOptions = {}) {
      return createConnector(judgeHost, resolve, connectorOptions);
    },
  };
}

function hostFault(host: string, trusted: boolean): string | undefined {
  if (isIP(host)) return undefined;
  return shapeFault(host) ?? metadataNameFault(host) ?? (trusted ? undefined : untrustedNameFault(host));
}

function slowDns(field: string): GatewayError {
  return new GatewayError('upstream_connect_timeout', `The host of ${field} was not resolved in time.`, {
    param: field,
  });
}
