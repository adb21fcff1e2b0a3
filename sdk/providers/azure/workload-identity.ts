import type { AuthTools, TokenRequest } from '../../contracts/auth.ts';
import type { Settings } from '../../contracts/provider.ts';
import { GatewayError } from '../../errors.ts';
import { asString } from '../../json.ts';
import { publicAuthority, tokenUrl } from './entra.ts';
import { machineOf } from './machine.ts';

/** Where tokens of a workload may be spent: https://learn.microsoft.com/entra/identity-platform/authentication-national-cloud */
const authorities: ReadonlySet<string> = new Set([
  publicAuthority,
  'https://login.microsoftonline.us',
  'https://login.partner.microsoftonline.cn',
  'https://login.chinacloudapi.cn',
]);

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Trades the token that the cluster keeps in a file: https://learn.microsoft.com/azure/aks/workload-identity-overview */
export async function workloadToken(settings: Settings, tools: AuthTools): Promise<TokenRequest> {
  const machine = machineOf(tools, 'workload');
  const given = (name: string) => variable(machine.env(name), name);
  const authority = authorityOf(machine.env('AZURE_AUTHORITY_HOST'));
  return {
    method: 'POST',
    url: tokenUrl(authority, given('AZURE_TENANT_ID')),
    form: {
      grant_type: 'client_credentials',
      client_id: asString(settings.azureWorkloadClientId) ?? given('AZURE_CLIENT_ID'),
      client_assertion_type: assertionType,
      client_assertion: (await machine.readFile(given('AZURE_FEDERATED_TOKEN_FILE'))).trim(),
      scope: String(settings.azureEntraScope),
    },
  };
}

function authorityOf(host: string | undefined): string {
  if (host === undefined || host === '') return publicAuthority;
  const authority = host.replace(/\/+$/, '');
  if (authorities.has(authority)) return authority;
  const known = [...authorities].join(', ');
  throw new GatewayError('not_available', `AZURE_AUTHORITY_HOST must be one of ${known}.`);
}

function variable(value: string | undefined, name: string): string {
  if (value !== undefined && value !== '') return value;
  throw new GatewayError(
    'not_available',
    `The Azure auth mode workload needs the variable ${name} in the gateway's environment.`,
  );
}
