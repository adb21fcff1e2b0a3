import {
  type AuthTools,
  asObject,
  asString,
  GatewayError,
  type JsonObject,
  type MachineIdentity,
  parseJson,
} from 'portcullis/sdk';
import { externalToken } from './federation.ts';
import { refreshRequest, scope, serviceAccountRequest } from './grants.ts';
import { type Token, tokenOf } from './token.ts';

interface Known {
  readonly token: string;
  /** Who is billed for requests of a person, who has no project of their own. */
  readonly quotaProject?: string | undefined;
}

/**
 * Headers with the identity of the machine: the file that GOOGLE_APPLICATION_CREDENTIALS names, or gcloud's, else the
 * metadata server. https://cloud.google.com/docs/authentication/application-default-credentials
 * @throws GatewayError `missing_credentials` where these settings may not spend it
 */
export async function machineHeaders(tools: AuthTools): Promise<Readonly<Record<string, string>>> {
  const { machine } = tools;
  if (machine === undefined) {
    throw new GatewayError(
      'missing_credentials',
      'The provider vertex-ai needs vertex_service_account_json, or an access token or API key as api_key.',
      { param: 'vertex_service_account_json' },
    );
  }
  const { token, quotaProject } = await tools.cached('machine', () => identify(machine, tools));
  return {
    authorization: `Bearer ${token}`,
    ...(quotaProject === undefined ? {} : { 'x-goog-user-project': quotaProject }),
  };
}

async function identify(machine: MachineIdentity, tools: AuthTools) {
  const file = await fileOf(machine);
  const { token, expiresAtMs } = await (file === undefined ? ofMetadata(machine, tools) : ofFile(file, machine, tools));
  const quotaProject = machine.env('GOOGLE_CLOUD_QUOTA_PROJECT') ?? asString(file?.quota_project_id);
  return { value: { token, quotaProject } satisfies Known, expiresAtMs };
}

/** @throws GatewayError `bad_request` where a file is named and cannot be read */
async function fileOf(machine: MachineIdentity): Promise<JsonObject | undefined> {
  const named = machine.env('GOOGLE_APPLICATION_CREDENTIALS');
  const home = machine.env('CLOUDSDK_CONFIG') ?? `${machine.env('HOME') ?? ''}/.config/gcloud`;
  const text = await machine.readFile(named ?? `${home}/application_default_credentials.json`).catch(() => undefined);
  if (text === undefined && named === undefined) return undefined;
  const file = asObject(parseJson(text ?? ''));
  if (file !== undefined) return file;
  throw new GatewayError('bad_request', 'The file that GOOGLE_APPLICATION_CREDENTIALS names is not a JSON object.');
}

async function ofFile(file: JsonObject, machine: MachineIdentity, tools: AuthTools): Promise<Token> {
  switch (file.type) {
    case 'service_account':
      return tokenOf(await tools.send(serviceAccountRequest(file, tools.now())), tools);
    case 'authorized_user':
      return tokenOf(await tools.send(refreshRequest(file)), tools);
    case 'external_account':
      return externalToken(file, machine, tools);
    default:
      throw new GatewayError(
        'bad_request',
        'GOOGLE_APPLICATION_CREDENTIALS names a file of a type that is not supported.',
      );
  }
}

/** By its address: whoever answers for the name in DNS could hand out a token of their own. */
const metadata = 'http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token';

/** The service account of the virtual machine, pod or function: https://cloud.google.com/compute/docs/metadata/overview */
async function ofMetadata(machine: MachineIdentity, tools: AuthTools): Promise<Token> {
  const url = `${metadata}?scopes=${encodeURIComponent(scope)}`;
  return tokenOf(await machine.send({ method: 'GET', url, headers: { 'metadata-flavor': 'Google' } }), tools);
}
