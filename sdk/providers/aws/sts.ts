import type { AuthTools } from '../../contracts/auth.ts';
import { GatewayError } from '../../errors.ts';
import { asNumber, asObject, asString, type JsonObject, parseJson } from '../../json.ts';
import { awsDomain } from './hosts.ts';
import { type AwsKeys, awsHeaders } from './sign.ts';

/** Keys that end. */
export interface LeasedKeys {
  readonly value: AwsKeys;
  readonly expiresAtMs: number;
}

export interface Role {
  readonly arn: string;
  readonly region: string;
  readonly sessionName: string;
  readonly externalId?: string | undefined;
  readonly tags?: readonly (readonly [key: string, value: string])[];
}

const version = '2011-06-15';

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
export async function assumeRole(role: Role, keys: AwsKeys, tools: AuthTools): Promise<LeasedKeys> {
  const form: Record<string, string> = {
    Action: 'AssumeRole',
    Version: version,
    RoleArn: role.arn,
    RoleSessionName: role.sessionName,
    ...(role.externalId === undefined ? {} : { ExternalId: role.externalId }),
  };
  for (const [index, [key, value]] of (role.tags ?? []).entries()) {
    form[`Tags.member.${index + 1}.Key`] = key;
    form[`Tags.member.${index + 1}.Value`] = value;
  }
  const url = stsUrl(role.region);
  const body = new URLSearchParams(form).toString();
  const scope = { service: 'sts', region: role.region, now: tools.now() };
  const signature = awsHeaders({ method: 'POST', url, headers: {}, body }, keys, scope);
  const reply = await tools.send({ method: 'POST', url, headers: { accept: 'application/json', ...signature }, form });
  return leased(reply, 'AssumeRole');
}

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html; the token is the proof. */
export async function assumeRoleWithWebIdentity(role: Role, token: string, tools: AuthTools): Promise<LeasedKeys> {
  const form = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: version,
    RoleArn: role.arn,
    RoleSessionName: role.sessionName,
    WebIdentityToken: token,
  };
  const headers = { accept: 'application/json' };
  const reply = await tools.send({ method: 'POST', url: stsUrl(role.region), headers, form });
  return leased(reply, 'AssumeRoleWithWebIdentity');
}

function stsUrl(region: string): string {
  return `https://sts.${region}.${awsDomain(region)}/`;
}

function leased({ status, body }: { readonly status: number; readonly body: string }, action: string): LeasedKeys {
  const json = asObject(parseJson(body));
  if (status !== 200) throw refused(`AWS STS refused ${action} with status ${status}${codeIn(json, body)}.`);
  const result = asObject(asObject(json?.[`${action}Response`])?.[`${action}Result`]);
  const lease = leasedKeys(asObject(result?.Credentials) ?? fieldsIn(body));
  if (lease === undefined) throw refused(`AWS STS answered ${action} without keys.`);
  return lease;
}

function refused(text: string): GatewayError {
  return new GatewayError('upstream_error', text);
}

function codeIn(json: JsonObject | undefined, body: string): string {
  const code = asString(asObject(json?.Error)?.Code) ?? /<Code>([A-Za-z0-9]+)<\/Code>/.exec(body)?.[1];
  return code === undefined ? '' : ` (${code.slice(0, 100)})`;
}

/** STS answers in XML where something on the way has lost the `accept` header. */
function fieldsIn(xml: string): JsonObject {
  const names = ['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** Keys in the words of STS and of the metadata services; the end is ISO 8601 or Unix seconds. */
export function leasedKeys(fields: JsonObject): LeasedKeys | undefined {
  const accessKeyId = asString(fields.AccessKeyId);
  const secretAccessKey = asString(fields.SecretAccessKey);
  const sessionToken = asString(fields.SessionToken) ?? asString(fields.Token);
  if (!accessKeyId || !secretAccessKey) return undefined;
  const seconds = asNumber(fields.Expiration);
  const until = seconds === undefined ? Date.parse(asString(fields.Expiration) ?? '') : seconds * 1000;
  return {
    value: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    expiresAtMs: Number.isFinite(until) ? until : 0,
  };
}
