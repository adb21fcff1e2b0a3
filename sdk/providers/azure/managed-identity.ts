import type { AuthTools, TokenRequest } from '../../contracts/auth.ts';
import type { Settings } from '../../contracts/provider.ts';
import { GatewayError } from '../../errors.ts';
import { asObject, asString, type JsonObject, parseJson } from '../../json.ts';
import { machineOf } from './machine.ts';

const metadataService = 'http://169.254.169.254/metadata/identity/oauth2/token';

/**
 * A token of the identity that the platform has given the machine: by the endpoint that it names in the environment
 * (App Service, Functions, Container Apps), else by the metadata service of virtual machines.
 * https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token
 * https://learn.microsoft.com/azure/app-service/overview-managed-identity
 */
export async function managedToken(
  settings: Settings,
  tools: AuthTools,
): Promise<{ readonly value: string; readonly expiresAtMs: number }> {
  const machine = machineOf(tools, 'managed');
  const { status, body } = await machine.send(managedRequest(settings, machine.env));
  const answer = asObject(parseJson(body)) ?? {};
  const value = asString(answer.access_token);
  if (status !== 200 || value === undefined || value === '') {
    throw new GatewayError(
      'upstream_error',
      `The identity service of the machine answered with status ${status} and no token.`,
    );
  }
  return { value, expiresAtMs: endOf(answer, tools.now()) };
}

function managedRequest(settings: Settings, env: (name: string) => string | undefined): TokenRequest {
  const endpoint = env('IDENTITY_ENDPOINT');
  const secret = env('IDENTITY_HEADER');
  const client = asString(settings.azureManagedClientId);
  const query = (version: string) =>
    new URLSearchParams({
      'api-version': version,
      resource: String(settings.azureEntraScope).replace(/\/\.default$/, ''),
      ...(client === undefined ? {} : { client_id: client }),
    });
  if (endpoint !== undefined && secret !== undefined) {
    const headers = { 'x-identity-header': secret };
    return { method: 'GET', url: `${endpoint}?${query('2019-08-01')}`, headers };
  }
  return { method: 'GET', url: `${metadataService}?${query('2018-02-01')}`, headers: { metadata: 'true' } };
}

/** Epoch milliseconds, by `expires_in` or `expires_on` in seconds, both also as text; 0 where neither is told. */
function endOf({ expires_in, expires_on }: JsonObject, nowMs: number): number {
  const life = Number(expires_in ?? 0);
  if (life > 0) return nowMs + life * 1000;
  const end = Number(expires_on ?? 0);
  return end > 0 ? end * 1000 : 0;
}
