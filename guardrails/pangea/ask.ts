import { asObject, type CheckHost, callJson, GatewayError, type JsonObject } from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

/**
 * The result of a call to one of Pangea's services.
 * @throws GatewayError `check_failed`: no answer, or one that is not there yet or no success
 */
export async function askPangea(
  host: CheckHost<Credentials>,
  service: string,
  path: string,
  body: JsonObject,
): Promise<JsonObject> {
  const { apiKey, domain } = host.credentials;
  const reply = await callJson(host, {
    vendor: 'Pangea',
    url: `https://${service}.${domain}/${path}`,
    headers: { authorization: `Bearer ${apiKey}` },
    body,
  });
  const result = asObject(reply.result);
  if (reply.status === 'Success' && result !== undefined) return result;
  throw new GatewayError('check_failed', 'Pangea answered without a result.');
}
