import {
  asArray,
  asObject,
  asString,
  baseUrl,
  type CheckHost,
  callJson,
  GatewayError,
  type JsonArray,
  type JsonObject,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

export type Asking = Pick<CheckHost<Credentials>, 'credentials' | 'fetch'>;

const standard = 'https://api.portkey.ai/v1/execute-guardrails';

/** Calls one of the hosted checks. */
export function ask(host: Asking, path: string, body: JsonObject): Promise<JsonObject> {
  const { apiKey, baseURL } = host.credentials;
  return callJson(host, {
    vendor: 'Portkey',
    url: `${baseUrl(baseURL, standard, 'baseURL')}/${path}`,
    headers: { 'x-portkey-api-key': apiKey },
    body,
  });
}

/** The same for checks that answer with a list: as a member of an object, it is read and refused like all other replies. */
export async function askList(host: Asking, path: string, body: JsonObject): Promise<JsonArray> {
  const fetch: Asking['fetch'] = async (url, request) => {
    const reply = await host.fetch(url, request);
    return { ...reply, body: Buffer.concat([Buffer.from('{"list":'), reply.body, Buffer.from('}')]) };
  };
  const { list } = await ask({ credentials: host.credentials, fetch }, path, body);
  if (!Array.isArray(list)) throw new GatewayError('check_failed', 'Portkey answered with something that is no list.');
  return list;
}

/** The best label of a classifier, which answers with labels for each text. */
export async function labelOf(host: Asking, path: string, text: string): Promise<string> {
  const [labels] = await askList(host, path, { input: text });
  const [best] = asArray(labels);
  const label = asString(asObject(best)?.label);
  if (label === undefined) throw new GatewayError('check_failed', 'Portkey answered without a label.');
  return label;
}
