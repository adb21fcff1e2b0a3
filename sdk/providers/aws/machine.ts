import type { AuthTools, MachineIdentity } from '../../contracts/auth.ts';
import { GatewayError } from '../../errors.ts';
import { asObject, type JsonObject, parseJson } from '../../json.ts';
import { assumeRoleWithWebIdentity, type LeasedKeys, leasedKeys } from './sts.ts';

const metadataHost = 'http://169.254.169.254';
const containerHost = 'http://169.254.170.2';
const tokenSeconds = '21600';
/** Keys of the environment do not end; they are read again after this time. */
const environmentMs = 60 * 60_000;

/**
 * The keys of the machine, from the first place that has some: environment, web identity, container, instance.
 * https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html
 */
export async function machineKeys(region: string, tools: AuthTools, machine: MachineIdentity): Promise<LeasedKeys> {
  const keys =
    fromEnvironment(tools, machine) ??
    (await fromWebIdentity(region, tools, machine)) ??
    (await fromContainer(machine)) ??
    (await fromInstance(machine));
  if (keys !== undefined) return keys;
  throw new GatewayError('missing_credentials', 'The machine that the gateway runs on has no AWS identity.');
}

function fromEnvironment(tools: AuthTools, machine: MachineIdentity): LeasedKeys | undefined {
  const accessKeyId = machine.env('AWS_ACCESS_KEY_ID');
  const secretAccessKey = machine.env('AWS_SECRET_ACCESS_KEY');
  if (!accessKeyId || !secretAccessKey) return undefined;
  const sessionToken = machine.env('AWS_SESSION_TOKEN');
  return {
    value: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
    expiresAtMs: tools.now() + environmentMs,
  };
}

async function fromWebIdentity(
  region: string,
  tools: AuthTools,
  machine: MachineIdentity,
): Promise<LeasedKeys | undefined> {
  const file = machine.env('AWS_WEB_IDENTITY_TOKEN_FILE');
  const arn = machine.env('AWS_ROLE_ARN');
  if (!file || !arn) return undefined;
  const token = (await machine.readFile(file)).trim();
  const sessionName = machine.env('AWS_ROLE_SESSION_NAME') ?? 'portcullis';
  return assumeRoleWithWebIdentity({ arn, region, sessionName }, token, tools);
}

/** https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html */
async function fromContainer(machine: MachineIdentity): Promise<LeasedKeys | undefined> {
  const relative = machine.env('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  const full = machine.env('AWS_CONTAINER_CREDENTIALS_FULL_URI');
  const url = relative ? `${containerHost}/${relative.replace(/^\/+/, '')}` : full;
  if (!url) return undefined;
  const file = machine.env('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE');
  const token = file ? (await machine.readFile(file)).trim() : machine.env('AWS_CONTAINER_AUTHORIZATION_TOKEN');
  const headers = { accept: 'application/json', ...(token ? { authorization: token } : {}) };
  return keysIn(await machine.send({ method: 'GET', url, headers }), 'container');
}

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html, version 2 alone. */
async function fromInstance(machine: MachineIdentity): Promise<LeasedKeys | undefined> {
  if (machine.env('AWS_EC2_METADATA_DISABLED')?.toLowerCase() === 'true') return undefined;
  const session = await machine.send({
    method: 'PUT',
    url: `${metadataHost}/latest/api/token`,
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': tokenSeconds },
  });
  if (session.status !== 200) return undefined;
  const headers = { 'x-aws-ec2-metadata-token': session.body.trim() };
  const list = `${metadataHost}/latest/meta-data/iam/security-credentials/`;
  const roles = await machine.send({ method: 'GET', url: list, headers });
  const role = roles.body.trim().split('\n')[0] ?? '';
  if (roles.status !== 200 || role === '') return undefined;
  return keysIn(await machine.send({ method: 'GET', url: list + encodeURIComponent(role), headers }), 'instance');
}

function keysIn({ status, body }: { readonly status: number; readonly body: string }, place: string): LeasedKeys {
  const fields: JsonObject = asObject(parseJson(body)) ?? {};
  const keys = status === 200 ? leasedKeys(fields) : undefined;
  if (keys !== undefined) return keys;
  throw new GatewayError('upstream_error', `The ${place}'s metadata service gave no keys: status ${status}.`);
}
