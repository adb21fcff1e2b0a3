import type { Auth } from '../../contracts/auth.ts';
import type { Settings } from '../../contracts/provider.ts';
import { GatewayError } from '../../errors.ts';
import { asString } from '../../json.ts';
import { entraToken } from './entra.ts';
import { managedToken } from './managed-identity.ts';
import { needed } from './needed.ts';
import { workloadToken } from './workload-identity.ts';

export interface AzureAuthOptions {
  /** Name of the provider, for messages. */
  readonly provider: string;
  /** How an API key travels; the setting is `apiKey`. */
  readonly key: Auth;
  /** The endpoint runs what its owner has put there, who would get the token of this machine to spend. Default false. */
  readonly runsForeignCode?: boolean;
}

/** The auth of a mode; without a mode, whichever of token and key is there. Settings: `azureAuthSettings`, `apiKey`. */
export function azureAuth(settings: Settings, { provider, key, runsForeignCode = false }: AzureAuthOptions): Auth {
  const mode = asString(settings.azureAuthMode) ?? (settings.azureAdToken === undefined ? 'apiKey' : 'ad-token');
  if (runsForeignCode && (mode === 'managed' || mode === 'workload')) {
    const text = `The auth mode ${mode} is not for endpoints that run code of their owner: it would get the identity of this machine. Give a key or a token of its own.`;
    throw new GatewayError('not_available', text, { param: 'azure_auth_mode' });
  }
  switch (mode) {
    case 'entra':
      return { kind: 'token', request: (given) => entraToken(given, provider) };
    case 'workload':
      return { kind: 'token', request: workloadToken };
    case 'managed':
      return {
        kind: 'signed',
        headers: async (_, given, tools) => {
          const token = await tools.cached('managed', () => managedToken(given, tools));
          return { authorization: `Bearer ${token}` };
        },
      };
    case 'ad-token':
      needed(settings, 'azureAdToken', provider);
      return { kind: 'bearer', from: 'azureAdToken' };
    case 'apiKey':
      needed(settings, 'apiKey', provider);
      return key;
    default:
      throw new GatewayError('bad_request', `The auth mode ${mode} is unknown.`, { param: 'azure_auth_mode' });
  }
}
