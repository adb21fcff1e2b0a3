import { GatewayError } from 'portcullis/sdk';

const leastMs = 60_000;
const mostMs = 400 * 86_400_000;

export interface OidcSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** Of the callback, as the provider knows it. Undefined: below the public URL. */
  readonly redirectUri: string | undefined;
  readonly scope: string;
}

export interface SessionSettings {
  readonly ttlMs: number;
  readonly oidc: OidcSettings | undefined;
}

type Env = (name: string) => string | undefined;

/** @throws GatewayError `invalid_config`, naming the variable */
export function settingsFrom(env: Env): SessionSettings {
  const ttlMs = Number(env('SESSION_TTL')?.trim() || 12 * 3_600_000);
  if (!Number.isSafeInteger(ttlMs) || ttlMs < leastMs || ttlMs > mostMs) {
    refuse('SESSION_TTL', `must be ${leastMs} to ${mostMs} milliseconds`);
  }
  return { ttlMs, oidc: oidcFrom((name) => env(name)?.trim() || undefined) };
}

function oidcFrom(env: Env): OidcSettings | undefined {
  const issuer = env('OIDC_ISSUER');
  if (issuer === undefined) return undefined;
  const clientId = env('OIDC_CLIENTID') ?? refuse('OIDC_CLIENTID', 'must be set where OIDC_ISSUER is');
  const redirectUri = env('OIDC_REDIRECT_URI');
  if (redirectUri !== undefined && !URL.canParse(redirectUri)) refuse('OIDC_REDIRECT_URI', 'must be a URL');
  const url = URL.canParse(issuer) ? new URL(issuer) : refuse('OIDC_ISSUER', 'must be a URL');
  // Codes and secrets in clear, but for a provider on this very machine.
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) refuse('OIDC_ISSUER', 'must be an https URL');
  const more = (env('OIDC_CUSTOM_SCOPES') ?? '').split(/[\s,]+/);
  return {
    issuer: url,
    clientId,
    clientSecret: env('OIDC_CLIENT_SECRET'),
    redirectUri,
    scope: [...new Set(['openid', 'email', 'profile', ...more])].filter((scope) => scope !== '').join(' '),
  };
}

function refuse(name: string, why: string): never {
  throw new GatewayError('invalid_config', `The environment variable ${name} ${why}.`, { param: name });
}
