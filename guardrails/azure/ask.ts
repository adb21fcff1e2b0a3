import { baseUrl, type CheckHost, callJson, GatewayError, type JsonObject } from 'portcullis/sdk';
import type { Credentials, Resource } from './credentials.ts';
import { entraToken } from './entra-token.ts';

/**
 * What asks the resource that the credentials hold for this purpose: known to it once, asked as often as need be.
 * @param path from the host on, without a query
 * @throws GatewayError `check_failed`
 */
export async function azureAt(
  host: CheckHost<Credentials>,
  purpose: keyof Credentials,
  path: string,
  apiVersion: string,
): Promise<(body: JsonObject) => Promise<JsonObject>> {
  const resource = host.credentials[purpose];
  if (resource === undefined) throw missing(purpose);
  const url = `${baseOf(resource, purpose)}/${path}?api-version=${apiVersion}`;
  const headers = await authOf(host, resource, purpose);
  return (body) => callJson(host, { vendor: 'Azure', url, headers, body });
}

function baseOf({ customHost, resourceName }: Resource, purpose: string): string {
  if (customHost === undefined && resourceName === undefined) throw missing(`${purpose}.resourceName`);
  return baseUrl(customHost, `https://${resourceName}.cognitiveservices.azure.com`, `${purpose}.customHost`);
}

async function authOf(host: CheckHost<Credentials>, resource: Resource, purpose: string) {
  const { azureAuthMode = 'apiKey', apiKey } = resource;
  switch (azureAuthMode) {
    case 'apiKey':
      if (apiKey === undefined) throw missing(`${purpose}.apiKey`);
      return { 'ocp-apim-subscription-key': apiKey };
    case 'entra':
      return { authorization: `Bearer ${await entraToken(host, resource, purpose)}` };
    case 'managed':
      // The endpoint for tokens of the machine is one that the URL guard keeps everybody from.
      throw new GatewayError(
        'check_failed',
        `Managed identities cannot be used by checks: set ${purpose}.azureAuthMode to apiKey or entra.`,
        { param: `${purpose}.azureAuthMode` },
      );
  }
}

function missing(param: string): GatewayError {
  return new GatewayError('check_failed', `The credentials of the guardrail unit azure lack ${param}.`, { param });
}
