import type { Configuration } from 'openid-client';
import { type Action, GatewayError } from 'portcullis/sdk';
import type { Parts } from '../parts.ts';
import type { OidcSettings } from '../settings.ts';
import { begin } from './begin.ts';
import { finish } from './finish.ts';
import { oidcProvider } from './provider.ts';

/** What both steps need of the sign-on. */
export interface Oidc {
  readonly settings: OidcSettings;
  readonly provider: () => Promise<Configuration>;
  /** Where the provider sends browsers back to. */
  readonly redirectUri: () => string;
}

/** Single sign-on by OpenID Connect, where the operator has set a provider. */
export function signOn(parts: Parts): readonly Action[] {
  const { host, settings } = parts;
  if (settings.oidc === undefined) return [];
  const { oidc } = settings;
  const shared: Oidc = {
    settings: oidc,
    provider: oidcProvider(host, oidc),
    redirectUri: () => {
      if (oidc.redirectUri !== undefined) return oidc.redirectUri;
      if (host.publicUrl !== '') return `${host.publicUrl}/v1/auth/oidc/callback`;
      throw new GatewayError('not_ready', 'The sign-on needs OIDC_REDIRECT_URI or PUBLIC_URL to be set.');
    },
  };
  return [begin(parts, shared), finish(parts, shared)];
}
