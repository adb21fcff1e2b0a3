import type { Auth, AuthTools, RequestToSign } from '../../contracts/auth.ts';
import type { Settings } from '../../contracts/provider.ts';
import { GatewayError } from '../../errors.ts';
import { asString } from '../../json.ts';
import { machineKeys } from './machine.ts';
import { type AwsKeys, awsHeaders } from './sign.ts';
import { assumeRole } from './sts.ts';

export interface AwsAuthOptions {
  /** The service in the credential scope, for requests that name none. */
  readonly service: string;
  /** Whether the service takes API keys (`Authorization: Bearer`), from the setting `apiKey`. */
  readonly apiKeys?: boolean;
}

/**
 * Signs each request, with whatever of these the settings of `awsSettings` say: access keys, a role assumed with them, the
 * identity of the machine, a role assumed with that; or an API key, which needs no signature.
 */
export function awsAuth(options: AwsAuthOptions): Auth {
  return {
    kind: 'signed',
    async headers(request, settings, tools) {
      const service = request.service ?? options.service;
      const type = authType(settings, options);
      if (type === 'apiKey') return bearer(settings, service, options);
      const keys = await keysOf(type, settings, tools);
      return awsHeaders(
        { method: request.method, url: request.url, headers: request.headers, body: bodyOf(request, service) },
        keys,
        { service, region: String(settings.awsRegion), now: tools.now() },
      );
    },
  };
}

type AuthType = 'accessKey' | 'assumedRole' | 'apiKey' | 'machine';

function authType(settings: Settings, { apiKeys = false }: AwsAuthOptions): AuthType {
  const named = asString(settings.awsAuthType);
  if (named === 'apiKey' && !apiKeys) throw needs('aws_auth_type', 'This service takes no API keys');
  if (named === 'accessKey' || named === 'assumedRole' || named === 'apiKey') return named;
  if (named !== undefined) return 'machine';
  if (settings.awsAccessKeyId !== undefined) return 'accessKey';
  return apiKeys && settings.apiKey !== undefined ? 'apiKey' : 'machine';
}

function bearer(settings: Settings, service: string, options: AwsAuthOptions): Readonly<Record<string, string>> {
  const key = asString(settings.apiKey);
  if (key === undefined) throw needs('api_key', 'The auth type apiKey needs it');
  if (service === options.service) return { authorization: `Bearer ${key}` };
  throw needs('aws_access_key_id', `API keys do not open ${service}: this request needs access keys or a role`);
}

/** Whose keys sign. A role is assumed where one is asked for: with the access keys, or with the machine's. */
async function keysOf(type: AuthType, settings: Settings, tools: AuthTools): Promise<AwsKeys> {
  const own = staticKeys(settings);
  if (type === 'accessKey') {
    if (own !== undefined) return own;
    throw needs('aws_secret_access_key', 'The auth type accessKey needs aws_access_key_id and aws_secret_access_key');
  }
  const arn = asString(settings.awsRoleArn);
  const region = String(settings.awsRegion);
  const base = () => (type === 'assumedRole' && own !== undefined ? own : ofMachine(region, tools));
  if (arn === undefined) {
    if (type === 'assumedRole') throw needs('aws_role_arn', 'The auth type assumedRole needs it');
    return base();
  }
  const role = {
    arn,
    region,
    sessionName: String(settings.awsRoleSessionName),
    externalId: asString(settings.awsExternalId),
    tags: tagsOf(asString(settings.awsSessionTags)),
  };
  return tools.cached('role', async () => assumeRole(role, await base(), tools));
}

function staticKeys(settings: Settings): AwsKeys | undefined {
  const accessKeyId = asString(settings.awsAccessKeyId);
  const secretAccessKey = asString(settings.awsSecretAccessKey);
  const sessionToken = asString(settings.awsSessionToken);
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId === undefined) throw needs('aws_access_key_id', 'The secret access key alone opens nothing');
  if (secretAccessKey === undefined) throw needs('aws_secret_access_key', 'The access key id alone opens nothing');
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

function ofMachine(region: string, tools: AuthTools): Promise<AwsKeys> {
  const { machine } = tools;
  if (machine === undefined) {
    const why = 'These settings may not spend the identity of the machine: give access keys';
    throw needs('aws_access_key_id', why);
  }
  return tools.cached('machine', () => machineKeys(region, tools, machine));
}

function tagsOf(text: string | undefined): readonly (readonly [string, string])[] {
  return (text ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
  });
}

function bodyOf({ body, flows }: RequestToSign, service: string): string | Uint8Array | undefined | null {
  if (!flows) return body;
  if (service === 's3') return null;
  throw new GatewayError('bad_request', 'The body is too large for a request that must be signed.');
}

function needs(param: string, why: string): GatewayError {
  return new GatewayError('missing_credentials', `The setting ${param} is missing or does not fit. ${why}.`, { param });
}
