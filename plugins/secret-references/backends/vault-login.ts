import { asNumber, asObject, asString, type JsonObject } from 'portcullis/sdk';
import { SecretFault } from '../fault.ts';
import { fingerprint } from '../fingerprint.ts';
import { type Lease, Leases } from '../leases.ts';
import { type Answer, call, type Reach, statusFault, tokenFile } from './reach.ts';

const kubernetesToken = '/var/run/secrets/kubernetes.io/serviceaccount/token';

interface Grant {
  readonly token: string;
  readonly renewable: boolean;
}

/** Headers of every call: the namespace, and a mark that keeps browsers of other people from making one. */
export function vaultHeaders(auth: JsonObject, token?: string): Readonly<Record<string, string>> {
  const namespace = asString(auth.vault_namespace);
  return {
    'x-vault-request': 'true',
    ...(namespace === undefined || namespace === '' ? {} : { 'x-vault-namespace': namespace }),
    ...(token === undefined ? {} : { 'x-vault-token': token }),
  };
}

/** Where the API is, without a slash at the end. */
export function vaultAddress(auth: JsonObject): string {
  return String(auth.vault_addr).replace(/\/+$/, '');
}

/** Tokens by the kinds of access. Those from a log-in are renewed, or logged in for again, at two thirds of their lease. */
export function vaultTokens(reach: Reach) {
  const leases = new Leases<Grant>(reach.now);
  return {
    async get(auth: JsonObject): Promise<string> {
      if (auth.vault_auth_type === 'token') return String(auth.vault_token);
      const obtain = async (old: Grant | undefined) => (await renewed(reach, auth, old)) ?? loggedIn(reach, auth);
      return (await leases.get(fingerprint(auth), obtain)).token;
    },
    /** It may have been revoked: the next read logs in anew. */
    drop: (auth: JsonObject, token: string) => leases.drop(fingerprint(auth), (grant) => grant.token === token),
  };
}

/** A renewal spares the uses of a secret id. Undefined: log in again. */
async function renewed(reach: Reach, auth: JsonObject, old: Grant | undefined): Promise<Lease<Grant> | undefined> {
  if (old?.renewable !== true) return undefined;
  const answer = await call(reach, `${vaultAddress(auth)}/v1/auth/token/renew-self`, {
    method: 'POST',
    headers: { ...vaultHeaders(auth, old.token), 'content-type': 'application/json' },
    body: '{}',
  });
  return answer.status === 200 ? grantOf(reach, answer) : undefined;
}

async function loggedIn(reach: Reach, auth: JsonObject): Promise<Lease<Grant>> {
  const [mount, body] =
    auth.vault_auth_type === 'approle'
      ? ['approle', { role_id: String(auth.vault_role_id), secret_id: String(auth.vault_secret_id) }]
      : ['kubernetes', { role: String(auth.vault_role), jwt: await serviceToken(reach, auth) }];
  const answer = await call(reach, `${vaultAddress(auth)}/v1/auth/${mount}/login`, {
    method: 'POST',
    headers: { ...vaultHeaders(auth), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  // A wrong role or secret id is a 400.
  if (answer.status !== 200) throw statusFault(answer.status === 400 ? 403 : answer.status);
  return grantOf(reach, answer);
}

/**
 * The token of the gateway's own service account: whoever gets it is the gateway, so it goes only to the vaults that the
 * operator names, never to an address of a tenant's choice.
 */
async function serviceToken(reach: Reach, auth: JsonObject): Promise<string> {
  const allowed = (reach.env('SECRET_KUBERNETES_VAULTS') ?? '').split(',').map((url) => originOf(url.trim()));
  const origin = originOf(vaultAddress(auth));
  if (origin === undefined || !allowed.includes(origin)) throw new SecretFault('not_allowed');
  return tokenFile(reach.env('SECRET_KUBERNETES_TOKEN_FILE') ?? kubernetesToken);
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function grantOf(reach: Reach, { json }: Answer): Lease<Grant> {
  const given = asObject(json.auth);
  const token = asString(given?.client_token);
  const seconds = asNumber(given?.lease_duration);
  if (token === undefined || seconds === undefined || seconds < 0) throw new SecretFault('broken');
  const now = reach.now();
  // No lease: the token does not end by itself. It is asked for again each hour all the same.
  const lifeMs = seconds === 0 ? 3_600_000 : seconds * 1000;
  return {
    value: { token, renewable: given?.renewable === true },
    freshUntil: now + (lifeMs * 2) / 3,
    goodUntil: now + lifeMs,
  };
}
