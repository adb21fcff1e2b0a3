import { createHash, createHmac } from 'node:crypto';
import type { JsonObject } from 'portcullis/sdk';
import type { Answer, Seen, World } from './world.ts';

export interface AwsKey {
  readonly secret: string;
  readonly token?: string;
}

const refused = (type: string): Answer => ({ status: 400, body: { __type: `com.amazonaws#${type}` } });

/** Secrets Manager and the token service of one region; every signature is recomputed from what arrived. */
export async function fakeAws(
  world: World,
  region: string,
  {
    keys,
    secrets,
    roles = {},
  }: {
    readonly keys: Record<string, AwsKey>;
    readonly secrets: Readonly<Record<string, JsonObject>>;
    readonly roles?: Readonly<Record<string, { readonly externalId?: string; readonly webToken?: string }>>;
  },
): Promise<void> {
  await world.serve(`secretsmanager.${region}.amazonaws.com`, (seen) => {
    if (!isSigned(seen, keys, region, 'secretsmanager', world.now)) return refused('InvalidSignatureException');
    if (seen.headers['x-amz-target'] !== 'secretsmanager.GetSecretValue') return refused('UnknownOperationException');
    if (seen.headers['content-type'] !== 'application/x-amz-json-1.1') return refused('SerializationException');
    const secret = secrets[(JSON.parse(seen.body) as { SecretId: string }).SecretId];
    return secret === undefined ? refused('ResourceNotFoundException') : { body: secret };
  });
  let issued = 0;
  await world.serve(`sts.${region}.amazonaws.com`, (seen) => {
    const fields = new URLSearchParams(seen.body);
    const action = fields.get('Action') ?? '';
    const role = roles[fields.get('RoleArn') ?? ''];
    const allowed =
      action === 'AssumeRoleWithWebIdentity'
        ? role?.webToken !== undefined && role.webToken === fields.get('WebIdentityToken')
        : isSigned(seen, keys, region, 'sts', world.now) &&
          role?.externalId === (fields.get('ExternalId') ?? undefined);
    if (role === undefined || !allowed)
      return { status: 403, body: '<ErrorResponse><Code>AccessDenied</Code></ErrorResponse>' };
    issued += 1;
    const key = `ASIA${issued}`;
    keys[key] = { secret: `temporary/${issued}`, token: `token/${issued}==` };
    const end = new Date(world.now + 3_600_000).toISOString();
    return {
      body: `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>
        <AccessKeyId>${key}</AccessKeyId><SecretAccessKey>temporary/${issued}</SecretAccessKey>
        <SessionToken>token/${issued}==</SessionToken><Expiration>${end}</Expiration>
        </Credentials></${action}Result></${action}Response>`,
    };
  });
}

/** Signature Version 4, step by step as the service's documents have it. */
function isSigned(
  seen: Seen,
  keys: Readonly<Record<string, AwsKey>>,
  region: string,
  service: string,
  now: number,
): boolean {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      seen.headers.authorization ?? '',
    );
  if (match === null) return false;
  const [, id = '', day = '', where, what, list = '', signature] = match;
  const key = keys[id];
  const date = seen.headers['x-amz-date'] ?? '';
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (key === undefined || where !== region || what !== service || !date.startsWith(day)) return false;
  if (Math.abs(at - now) > 15 * 60_000) return false;
  if (key.token !== undefined && seen.headers['x-amz-security-token'] !== key.token) return false;
  const names = list.split(';');
  const must = ['host', 'x-amz-date', 'content-type'];
  if (must.some((name) => !names.includes(name)) || names.join() !== [...names].sort().join()) return false;
  let canonical = `${seen.method}\n/\n\n`;
  for (const name of names) canonical += `${name}:${seen.headers[name]}\n`;
  canonical += `\n${list}\n${sha256(seen.body)}`;
  const text = `AWS4-HMAC-SHA256\n${date}\n${day}/${region}/${service}/aws4_request\n${sha256(canonical)}`;
  const dayKey = hmac(`AWS4${key.secret}`, day);
  const signingKey = hmac(hmac(hmac(dayKey, region), service), 'aws4_request');
  return hmac(signingKey, text).toString('hex') === signature;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
