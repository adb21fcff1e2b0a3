/** The clouds in which vaults stand: the end of a vault's host name, and who gives tokens for it. */
const clouds = [
  { vaults: 'vault.azure.net', login: 'login.microsoftonline.com' },
  { vaults: 'vault.usgovcloudapi.net', login: 'login.microsoftonline.us' },
  { vaults: 'vault.azure.cn', login: 'login.partner.microsoftonline.cn' },
] as const;

export interface Vault {
  /** Without a slash at the end. */
  readonly origin: string;
  readonly login: string;
  /** What the token must be for. */
  readonly resource: string;
}

/**
 * The vault that a URL names; undefined for any other place: a token for all vaults must never reach one that is none.
 */
export function vaultOf(url: string): Vault | undefined {
  const [, host] = /^https:\/\/([a-zA-Z0-9-]{1,63}\.[a-zA-Z0-9.-]+)\/?$/.exec(url) ?? [];
  const cloud = clouds.find(({ vaults }) => host?.toLowerCase().slice(host.indexOf('.') + 1) === vaults);
  if (host === undefined || cloud === undefined) return undefined;
  return {
    origin: `https://${host.toLowerCase()}`,
    login: `https://${cloud.login}`,
    resource: `https://${cloud.vaults}`,
  };
}
