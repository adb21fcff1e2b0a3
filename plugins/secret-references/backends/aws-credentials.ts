import type { JsonObject } from 'portcullis/sdk';
import { SecretFault } from '../fault.ts';
import { fingerprint } from '../fingerprint.ts';
import { type Lease, Leases } from '../leases.ts';
import { call, form, type Reach, statusFault, tokenFile } from './reach.ts';
import { type AwsCredentials, signed } from './sign-v4.ts';

const sessionName = 'portcullis';
/** Temporary credentials are given up this long before they end, for a call must outlive its signature. */
const marginMs = 5 * 60_000;

/** Host of a service: China is a partition with a domain of its own. */
export function awsHost(service: string, region: string): string {
  return `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** @throws SecretFault `not_configured` when neither the reference nor the operator names a region */
export function awsRegion(reach: Reach, auth: JsonObject): string {
  const region = text(auth.aws_region) ?? reach.env('AWS_REGION');
  if (region === undefined || !/^[a-z0-9-]{1,32}$/.test(region)) throw new SecretFault('not_configured');
  return region;
}

/** Credentials by the kinds of access: a key of the reference's own, a role to take on, or what the gateway itself runs as. */
export function awsCredentials(reach: Reach) {
  const leases = new Leases<AwsCredentials>(reach.now);
  const own = async (region: string): Promise<AwsCredentials> => {
    const accessKeyId = reach.env('AWS_ACCESS_KEY_ID');
    const secretAccessKey = reach.env('AWS_SECRET_ACCESS_KEY');
    if (accessKeyId !== undefined && secretAccessKey !== undefined) {
      return { accessKeyId, secretAccessKey, ...withToken(reach.env('AWS_SESSION_TOKEN')) };
    }
    const file = reach.env('AWS_WEB_IDENTITY_TOKEN_FILE');
    const role = reach.env('AWS_ROLE_ARN');
    if (file === undefined || role === undefined) throw new SecretFault('not_configured');
    return leases.get(fingerprint('own', role, region), async () =>
      issued(reach, region, {
        Action: 'AssumeRoleWithWebIdentity',
        RoleArn: role,
        WebIdentityToken: await tokenFile(file),
      }),
    );
  };
  return {
    async of(auth: JsonObject, region: string): Promise<AwsCredentials> {
      if (auth.aws_auth_type === 'accessKey') {
        return { accessKeyId: String(auth.aws_access_key_id), secretAccessKey: String(auth.aws_secret_access_key) };
      }
      if (auth.aws_auth_type === 'serviceRole') return own(region);
      return leases.get(fingerprint('role', auth, region), async () =>
        issued(
          reach,
          region,
          { Action: 'AssumeRole', RoleArn: text(auth.aws_role_arn), ExternalId: text(auth.aws_external_id) },
          await own(region),
        ),
      );
    },
  };
}

/** Asks the token service for temporary credentials; unsigned where a token in the fields says who asks. */
async function issued(
  reach: Reach,
  region: string,
  fields: Readonly<Record<string, string | undefined>>,
  credentials?: AwsCredentials,
): Promise<Lease<AwsCredentials>> {
  const url = new URL(`https://${awsHost('sts', region)}/`);
  const body = form({ ...fields, Version: '2011-06-15', RoleSessionName: sessionName, DurationSeconds: '3600' });
  const plain = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  const request = { method: 'POST', url, headers: plain, body };
  const headers =
    credentials === undefined ? plain : signed(request, { credentials, region, service: 'sts', now: reach.now() });
  const answer = await call(reach, url.href, { method: 'POST', headers, body });
  if (answer.status !== 200) throw statusFault(answer.status === 400 ? 403 : answer.status);
  const [accessKeyId, secretAccessKey, sessionToken, expiration] = [
    'AccessKeyId',
    'SecretAccessKey',
    'SessionToken',
    'Expiration',
  ].map((name) => element(answer.text, name));
  const end = Date.parse(expiration ?? '');
  if (accessKeyId === undefined || secretAccessKey === undefined || Number.isNaN(end)) throw new SecretFault('broken');
  return {
    value: { accessKeyId, secretAccessKey, ...withToken(sessionToken) },
    freshUntil: Math.max(reach.now(), end - marginMs),
    goodUntil: end,
  };
}

/** The text of an element of the service's flat XML, whose values hold no markup. */
function element(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>\\s*([^<&]+?)\\s*</${name}>`).exec(xml)?.[1];
}

function withToken(sessionToken: string | undefined): { readonly sessionToken?: string } {
  return sessionToken === undefined ? {} : { sessionToken };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
