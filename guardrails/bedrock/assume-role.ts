import { createHash } from 'node:crypto';
import { asNumber, asObject, asString, type CheckHost, callJson, GatewayError, type Json } from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { type AwsKeys, signed } from './sign.ts';

/** Keys that end sooner are asked for anew. */
const marginSeconds = 60;
const longestSeconds = 86_400;

/** The keys to call with: those of the credentials, or those of the role that they may assume. */
export async function keysOf(host: CheckHost<Credentials>): Promise<AwsKeys> {
  const { awsAuthType, awsAccessKeyId, awsSecretAccessKey, awsSessionToken, awsRoleArn } = host.credentials;
  const own: AwsKeys = {
    accessKeyId: awsAccessKeyId,
    secretAccessKey: awsSecretAccessKey,
    ...(awsSessionToken === undefined ? {} : { sessionToken: awsSessionToken }),
  };
  if (awsAuthType !== 'assumedRole') return own;
  if (awsRoleArn !== undefined) return assumedRole(host, own, awsRoleArn);
  const text = 'The credential awsRoleArn is missing: the auth type assumedRole needs it.';
  throw new GatewayError('check_failed', text, { param: 'awsRoleArn' });
}

/** Source: https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html; as JSON, for that is what `accept` asks for. */
async function assumedRole(host: CheckHost<Credentials>, own: AwsKeys, roleArn: string): Promise<AwsKeys> {
  const { awsRegion: region, awsExternalId } = host.credentials;
  // Whoever does not know the keys gets none of those who do.
  const identity = JSON.stringify([own, roleArn, awsExternalId, region]);
  const key = `role/${createHash('sha256').update(identity).digest('hex')}`;
  const kept = keysIn(host.cache.get(key));
  if (kept !== undefined) return kept;
  const query = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: 'portcullis',
    ...(awsExternalId === undefined ? {} : { ExternalId: awsExternalId }),
  });
  const url = `https://sts.${region}.amazonaws.com/?${query}`;
  const headers = signed({ method: 'GET', url, service: 'sts', region, now: host.now() }, own);
  const reply = await callJson(host, { vendor: 'AWS STS', method: 'GET', url, headers });
  const result = asObject(asObject(reply.AssumeRoleResponse)?.AssumeRoleResult);
  const keys = keysIn(result?.Credentials);
  if (keys === undefined) throw new GatewayError('check_failed', 'AWS STS answered without keys of the role.');
  const until = asNumber(asObject(result?.Credentials)?.Expiration) ?? 0;
  const seconds = Math.min(Math.floor(until - host.now() / 1000) - marginSeconds, longestSeconds);
  if (seconds >= 1) host.cache.set(key, result?.Credentials ?? null, seconds);
  return keys;
}

function keysIn(value: Json | undefined): AwsKeys | undefined {
  const { AccessKeyId, SecretAccessKey, SessionToken } = asObject(value) ?? {};
  const [accessKeyId, secretAccessKey, sessionToken] = [AccessKeyId, SecretAccessKey, SessionToken].map(asString);
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken };
}
