import { type Auth, asString, GatewayError, type Settings } from 'portcullis/sdk';

/** The auth of a mode; without a mode, whichever of token and key is there. */
export function authOf(settings: Settings): Auth {
  const mode = asString(settings.azureAuthMode) ?? (settings.azureAdToken === undefined ? 'apiKey' : 'ad-token');
  switch (mode) {
    case 'entra':
      return { kind: 'token', request: entraToken };
    case 'ad-token':
      needed(settings, 'azureAdToken', 'azure_ad_token');
      return { kind: 'bearer', from: 'azureAdToken' };
    case 'managed':
    case 'workload':
      // Both spend an identity of the machine without any secret that the operator would have to give. A caller could
      // name the mode beside a host of its own and would be sent the gateway's token.
      throw new GatewayError(
        'not_available',
        `The Azure auth mode ${mode} is not supported by this version: use apiKey, entra or ad-token.`,
        {
          param: 'azure_auth_mode',
        },
      );
    default:
      needed(settings, 'apiKey', 'api_key');
      return { kind: 'header', name: 'api-key', from: 'apiKey' };
  }
}

/** Client credentials flow: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
function entraToken(settings: Settings) {
  const tenant = needed(settings, 'azureEntraTenantId', 'azure_entra_tenant_id');
  return {
    method: 'POST',
    // The authority is fixed: the client secret goes there.
    url: `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`,
    form: {
      grant_type: 'client_credentials',
      client_id: needed(settings, 'azureEntraClientId', 'azure_entra_client_id'),
      client_secret: needed(settings, 'azureEntraClientSecret', 'azure_entra_client_secret'),
      scope: String(settings.azureEntraScope),
    },
  } as const;
}

function needed(settings: Settings, name: string, param: string): string {
  const value = asString(settings[name]);
  if (value !== undefined) return value;
  throw new GatewayError('missing_credentials', `The provider azure-openai needs ${param} for this auth mode.`, {
    param,
  });
}
