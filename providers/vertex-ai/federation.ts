import {
  type AuthTools,
  asNumber,
  asObject,
  asString,
  GatewayError,
  type JsonObject,
  type MachineIdentity,
  parseJson,
} from 'portcullis/sdk';
import { needed, scope } from './grants.ts';
import { type Token, tokenOf } from './token.ts';

const exchanges = /^https:\/\/sts(\.[a-z0-9-]+)*\.googleapis\.com\/v1\/token$/;
const impersonations =
  /^https:\/\/iamcredentials\.googleapis\.com\/v1\/projects\/-\/serviceAccounts\/[^/?#]+:generateAccessToken$/;

/**
 * Workload identity federation: a token of another platform is exchanged for one of Google's, and where the file says so
 * that one for a service account's. RFC 8693, https://google.aip.dev/auth/4117
 */
export async function externalToken(file: JsonObject, machine: MachineIdentity, tools: AuthTools): Promise<Token> {
  const url = googles(needed(file, 'token_url'), exchanges, 'token_url');
  const impersonates = asString(file.service_account_impersonation_url);
  const subject = await subjectToken(asObject(file.credential_source) ?? {}, machine);
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience: needed(file, 'audience'),
    subject_token_type: needed(file, 'subject_token_type'),
    subject_token: subject,
    scope,
    ...optionsOf(file),
  };
  const federated = tokenOf(await tools.send({ method: 'POST', url, headers: basicOf(file), form }), tools);
  return impersonates === undefined ? federated : impersonated(impersonates, federated.token, file, tools);
}

function googles(url: string, allowed: RegExp, name: string): string {
  if (allowed.test(url)) return url;
  throw new GatewayError('bad_request', `The ${name} of the credentials is no address of Google's.`, { param: name });
}

function optionsOf({ workforce_pool_user_project: userProject }: JsonObject): Record<string, string> {
  return userProject === undefined ? {} : { options: JSON.stringify({ userProject }) };
}

function basicOf({ client_id, client_secret }: JsonObject): Record<string, string> {
  const [id, secret] = [asString(client_id), asString(client_secret)];
  if (id === undefined || secret === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

/** From a file, or from an address of the machine. Programs are not run, and AWS has no plain token. */
async function subjectToken(source: JsonObject, machine: MachineIdentity): Promise<string> {
  const { file, url } = source;
  if (typeof file === 'string') return tokenIn(await machine.readFile(file), source);
  if (typeof url !== 'string' || source.environment_id !== undefined) {
    throw new GatewayError('bad_request', 'The credential_source of the credentials must be a file or a URL.', {
      param: 'credential_source',
    });
  }
  const { status, body } = await machine.send({ method: 'GET', url, headers: headersOf(source) });
  if (status === 200) return tokenIn(body, source);
  throw new GatewayError('upstream_error', `The credential source of vertex-ai answered with status ${status}.`);
}

const headersOf = ({ headers }: JsonObject) =>
  Object.fromEntries(
    Object.entries(asObject(headers) ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );

function tokenIn(text: string, source: JsonObject): string {
  const { type, subject_token_field_name } = asObject(source.format) ?? {};
  const token = type === 'json' ? asObject(parseJson(text))?.[asString(subject_token_field_name) ?? ''] : text.trim();
  if (typeof token === 'string' && token !== '') return token;
  throw new GatewayError('bad_request', 'The credential source of vertex-ai holds no token.', {
    param: 'credential_source',
  });
}

/** https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken */
async function impersonated(given: string, token: string, file: JsonObject, tools: AuthTools): Promise<Token> {
  const url = googles(given, impersonations, 'service_account_impersonation_url');
  const lifetime = asNumber(asObject(file.service_account_impersonation)?.token_lifetime_seconds) ?? 3600;
  const { status, body } = await tools.send({
    method: 'POST',
    url,
    headers: { authorization: `Bearer ${token}` },
    json: { scope: [scope], lifetime: `${lifetime}s` },
  });
  const answer = asObject(parseJson(body));
  const made = asString(answer?.accessToken);
  const expiresAtMs = Date.parse(asString(answer?.expireTime) ?? '');
  if (status === 200 && made !== undefined && !Number.isNaN(expiresAtMs)) return { token: made, expiresAtMs };
  throw new GatewayError(
    'upstream_error',
    `The impersonation of a service account was answered with status ${status}.`,
  );
}
