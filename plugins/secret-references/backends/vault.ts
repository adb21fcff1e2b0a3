import { asObject, type JsonObject } from 'portcullis/sdk';
import { SecretFault } from '../fault.ts';
import { call, type Place, type Reach, statusFault } from './reach.ts';
import { vaultAddress, vaultHeaders, vaultTokens } from './vault-login.ts';

/**
 * HashiCorp Vault, key-value engines of both versions: `secret/data/app` as the API has it, or `secret/app` as people say
 * it. The secret is the JSON of all its members.
 */
export function hashicorpVault(reach: Reach) {
  const tokens = vaultTokens(reach);
  const read = async ({ auth, path }: Place): Promise<string> => {
    const token = await tokens.get(auth);
    const refusals: number[] = [];
    for (const candidate of pathsOf(path)) {
      const { status, json } = await call(reach, `${vaultAddress(auth)}/v1/${candidate}`, {
        headers: vaultHeaders(auth, token),
      });
      if (status === 200) return JSON.stringify(membersOf(json));
      if (status !== 403 && status !== 404) throw statusFault(status);
      refusals.push(status);
    }
    // A token that may not read a path is not told whether there is anything.
    if (!refusals.includes(403)) throw new SecretFault('missing');
    if (await isLive(reach, auth, token)) throw new SecretFault('denied');
    tokens.drop(auth, token);
    throw new RevokedToken();
  };
  return (place: Place): Promise<string> =>
    read(place).catch((error: unknown) => {
      if (!(error instanceof RevokedToken)) throw error;
      return read(place);
    });
}

/** Revoked before its lease was over: logging in again may help, once. */
class RevokedToken extends SecretFault {
  constructor() {
    super('denied');
  }
}

/** A log-in may cost a use of a secret id, so it is not repeated for a token that is merely not allowed. */
async function isLive(reach: Reach, auth: JsonObject, token: string): Promise<boolean> {
  if (auth.vault_auth_type === 'token') return true;
  const { status } = await call(reach, `${vaultAddress(auth)}/v1/auth/token/lookup-self`, {
    headers: vaultHeaders(auth, token),
  });
  return status !== 403;
}

/** Where to look, in order: version 2 of the engine has `data` behind its mount. */
function pathsOf(path: string): readonly string[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  if (segments.length === 0 || segments.some((segment) => segment === '.' || segment === '..')) {
    throw new SecretFault('missing');
  }
  const encoded = segments.map(encodeURIComponent);
  const given = encoded.join('/');
  const [mount, ...rest] = encoded;
  return segments.includes('data') || rest.length === 0 ? [given] : [`${mount}/data/${rest.join('/')}`, given];
}

/** Version 2 wraps the members and tells the version beside them. */
function membersOf(json: JsonObject): JsonObject {
  const outer = asObject(json.data);
  if (outer === undefined) throw new SecretFault('broken');
  const wrapped = asObject(outer.metadata)?.version !== undefined;
  if (!wrapped) return outer;
  const inner = asObject(outer.data);
  if (inner === undefined) throw new SecretFault('missing');
  return inner;
}
