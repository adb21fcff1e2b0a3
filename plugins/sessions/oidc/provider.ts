import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client';
import { type ControlHost, GatewayError } from 'portcullis/sdk';
import type { OidcSettings } from '../settings.ts';

const timeoutSeconds = 10;
const mostBytes = 1_048_576;
/** What a provider says of itself is read again after this long. */
const freshMs = 3_600_000;

/** The provider as it describes itself; asked once for many log-ins. */
export function oidcProvider(host: Pick<ControlHost, 'fetch' | 'log' | 'now'>, settings: OidcSettings) {
  let known: { readonly at: number; readonly configuration: Promise<Configuration> } | undefined;
  const discover = () =>
    discovery(settings.issuer, settings.clientId, {}, clientAuth(settings.clientSecret), {
      [customFetch]: fetchThrough(host),
      timeout: timeoutSeconds,
      // The signature of an id token is checked even where TLS vouches for it already.
      execute: [enableNonRepudiationChecks, ...(settings.issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
    });
  return async (): Promise<Configuration> => {
    if (known === undefined || host.now() - known.at > freshMs) known = { at: host.now(), configuration: discover() };
    const current = known;
    try {
      return await current.configuration;
    } catch (error) {
      if (known === current) known = undefined;
      host.log.error('oidc_discovery_failed', { reason: error instanceof Error ? error.message : 'unknown' });
      throw new GatewayError('not_ready', 'The sign-on provider cannot be reached now. Try again.', { cause: error });
    }
  };
}

/** The method that the provider takes; what it does not say is the standard one (RFC 8414 §2). */
function clientAuth(secret: string | undefined): ClientAuth {
  if (secret === undefined) return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported;
    return (methods === undefined || methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** Every call goes the way of all calls of the gateway: past the URL guard, bounded, to no redirect. */
function fetchThrough(host: Pick<ControlHost, 'fetch'>): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const reply = await host.fetch(url, {
      method,
      headers,
      timeoutMs: timeoutSeconds * 1000,
      maxBytes: mostBytes,
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined || body === null ? {} : { body: String(body) }),
    });
    const content = bodiless.has(reply.status) ? null : new Uint8Array(reply.body);
    return new Response(content, { status: reply.status, headers: { ...reply.headers } });
  };
}
