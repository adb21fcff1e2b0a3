import type { TokenRequest } from '../../contracts/auth.ts';
import type { Settings } from '../../contracts/provider.ts';
import { needed } from './needed.ts';

export const publicAuthority = 'https://login.microsoftonline.com';

/** Client credentials flow: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
export function entraToken(settings: Settings, provider: string): TokenRequest {
  const tenant = needed(settings, 'azureEntraTenantId', provider);
  return {
    method: 'POST',
    // The authority is fixed: the client secret goes there.
    url: tokenUrl(publicAuthority, tenant),
    form: {
      grant_type: 'client_credentials',
      client_id: needed(settings, 'azureEntraClientId', provider),
      client_secret: needed(settings, 'azureEntraClientSecret', provider),
      scope: String(settings.azureEntraScope),
    },
  };
}

export function tokenUrl(authority: string, tenant: string): string {
  return `${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
}
