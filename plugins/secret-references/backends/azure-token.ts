import { asNumber, asString, type JsonObject } from 'portcullis/sdk';
import { SecretFault } from '../fault.ts';
import { fingerprint } from '../fingerprint.ts';
import { type Lease, Leases } from '../leases.ts';
import type { Vault } from './azure-clouds.ts';
import { type Answer, call, form, type Reach, statusFault, tokenFile } from './reach.ts';

const metadata = 'http://169.254.169.254/metadata/identity/oauth2/token';
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

interface Client {
  readonly tenant: string;
  readonly client: string;
  readonly proof: Readonly<Record<string, string>>;
}

/** Bearer tokens for a vault, by the kinds of access: an application's own secret, a managed identity, or what there is. */
export function azureTokens(reach: Reach) {
  const leases = new Leases<string>(reach.now);
  const get = (auth: JsonObject, vault: Vault) =>
    leases.get(keyOf(auth, vault), async () => {
      const mode = auth.azure_auth_mode;
      if (mode === 'managed') return managed(reach, vault, asString(auth.azure_managed_client_id));
      const client = mode === 'entra' ? entra(auth) : await ambient(reach);
      return client === undefined ? managed(reach, vault, reach.env('AZURE_CLIENT_ID')) : login(reach, vault, client);
    });
  return {
    get,
    drop: (auth: JsonObject, vault: Vault, token: string) => leases.drop(keyOf(auth, vault), (kept) => kept === token),
  };
}

function keyOf(auth: JsonObject, { login, resource }: Vault): string {
  return fingerprint(auth, login, resource);
}

function entra(auth: JsonObject): Client {
  return {
    tenant: String(auth.azure_entra_tenant_id),
    client: String(auth.azure_entra_client_id),
    proof: { client_secret: String(auth.azure_entra_client_secret) },
  };
}

/** The application that the gateway runs as, by a secret or by the token that its platform keeps in a file. */
async function ambient(reach: Reach): Promise<Client | undefined> {
  const tenant = reach.env('AZURE_TENANT_ID');
  const client = reach.env('AZURE_CLIENT_ID');
  if (tenant === undefined || client === undefined) return undefined;
  const secret = reach.env('AZURE_CLIENT_SECRET');
  if (secret !== undefined) return { tenant, client, proof: { client_secret: secret } };
  const file = reach.env('AZURE_FEDERATED_TOKEN_FILE');
  if (file === undefined) return undefined;
  return {
    tenant,
    client,
    proof: { client_assertion_type: assertionType, client_assertion: await tokenFile(file) },
  };
}

async function login(reach: Reach, vault: Vault, { tenant, client, proof }: Client): Promise<Lease<string>> {
  const url = `${vault.login}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
  const body = form({
    grant_type: 'client_credentials',
    client_id: client,
    scope: `${vault.resource}/.default`,
    ...proof,
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return tokenOf(reach, await call(reach, url, { method: 'POST', headers, body }));
}

/** The platform's own endpoint where it names one, else that of the virtual machine. Both pass the URL guard. */
async function managed(reach: Reach, vault: Vault, client: string | undefined): Promise<Lease<string>> {
  const endpoint = reach.env('IDENTITY_ENDPOINT');
  const header = reach.env('IDENTITY_HEADER');
  const platform = endpoint !== undefined && header !== undefined;
  const query = form({
    'api-version': platform ? '2019-08-01' : '2018-02-01',
    resource: vault.resource,
    client_id: client,
  });
  const headers: Record<string, string> = platform ? { 'x-identity-header': header } : { metadata: 'true' };
  return tokenOf(reach, await call(reach, `${platform ? endpoint : metadata}?${query}`, { headers }));
}

function tokenOf(reach: Reach, { status, json }: Answer): Lease<string> {
  // The token service says 400 for an unknown application as well as for a wrong secret.
  if (status !== 200) throw statusFault(status === 400 ? 403 : status);
  const token = asString(json.access_token);
  const seconds = asNumber(json.expires_in) ?? Number(asString(json.expires_in) ?? lifetime(reach, json));
  if (token === undefined || !(seconds > 0)) throw new SecretFault('broken');
  const now = reach.now();
  return { value: token, freshUntil: now + (seconds * 2000) / 3, goodUntil: now + seconds * 1000 };
}

/** Seconds until the moment in `expires_on`, which some platforms give instead. */
function lifetime(reach: Reach, { expires_on }: JsonObject): number {
  return Number(expires_on) - reach.now() / 1000;
}
