import { asString } from 'portcullis/sdk';
import { SecretFault } from '../fault.ts';
import { vaultOf } from './azure-clouds.ts';
import { azureTokens } from './azure-token.ts';
import { call, type Place, type Reach, statusFault } from './reach.ts';

/** Azure Key Vault: the path is `name` or `name/version`. */
export function azureKeyVault(reach: Reach) {
  const tokens = azureTokens(reach);
  return async ({ auth, path }: Place): Promise<string> => {
    const vault = vaultOf(String(auth.azure_vault_url));
    if (vault === undefined) throw new SecretFault('blocked');
    if (!/^[0-9a-zA-Z-]{1,127}(\/[0-9a-zA-Z]{1,64})?$/.test(path)) throw new SecretFault('missing');
    const token = await tokens.get(auth, vault);
    const { status, json } = await call(reach, `${vault.origin}/secrets/${path}?api-version=7.4`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (status === 401) tokens.drop(auth, vault, token);
    if (status !== 200) throw statusFault(status);
    const value = asString(json.value);
    if (value === undefined) throw new SecretFault('broken');
    return value;
  };
}
