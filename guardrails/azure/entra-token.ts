import { createHash } from 'node:crypto';
import { asNumber, asString, type CheckHost, callJson, GatewayError } from 'portcullis/sdk';
import type { Credentials, Resource } from './credentials.ts';

/** A token that ends sooner is asked for anew. */
const marginSeconds = 60;
const longestSeconds = 86_400;

/**
 * An access token of Microsoft Entra by client credentials, kept until shortly before it ends.
 * Source: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 */
export async function entraToken(host: CheckHost<Credentials>, resource: Resource, purpose: string): Promise<string> {
  const { tenantId, clientId, clientSecret } = resource;
  if (tenantId === undefined || clientId === undefined || clientSecret === undefined)
    throw new GatewayError(
      'check_failed',
      `The auth mode entra needs tenantId, clientId and clientSecret in ${purpose}.`,
    );
  // Whoever does not know the secret gets no token of those who do.
  const identity = JSON.stringify([tenantId, clientId, clientSecret]);
  const key = `entra/${createHash('sha256').update(identity).digest('hex')}`;
  const kept = asString(host.cache.get(key));
  if (kept !== undefined) return kept;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: 'https://cognitiveservices.azure.com/.default',
  });
  const asForm: Pick<CheckHost, 'fetch'> = {
    fetch: (url, request) => host.fetch(url, { ...request, body: form.toString() }),
  };
  const reply = await callJson(asForm, {
    vendor: 'Microsoft Entra',
    url: `https://login.microsoftonline.com/${tenantId}/oauth2/v2.0/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  const token = asString(reply.access_token);
  if (token === undefined) throw new GatewayError('check_failed', 'Microsoft Entra answered without an access token.');
  const seconds = Math.min((asNumber(reply.expires_in) ?? 0) - marginSeconds, longestSeconds);
  if (seconds >= 1) host.cache.set(key, token, seconds);
  return token;
}
