import { asArray, asObject, asObjects, type ControlHost, type JsonObject } from 'portcullis/sdk';
import { refusal } from '../refusal.ts';

/** Members of a JSON Web Key that only its owner may know (RFC 7518 §6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const mostKeys = 50;
const leastRsaBytes = 256;

/**
 * How people and their tokens are recognised, after the changes of a body. What stands in `verified` is never taken from it.
 * @throws GatewayError `bad_request`, `url_blocked`
 */
export async function readAuthSettings(
  before: JsonObject,
  given: JsonObject,
  host: Pick<ControlHost, 'checkUrl' | 'randomText'>,
): Promise<JsonObject> {
  const after: Record<string, JsonObject[string]> = { ...before };
  for (const name of ['jwks_url', 'jwks'] as const) {
    if (given[name] === null) delete after[name];
    else if (given[name] !== undefined) after[name] = given[name];
  }
  if (after.jwks_url !== undefined && after.jwks !== undefined)
    throw refusal('auth_settings.jwks', 'excludes auth_settings.jwks_url: set the one that goes to null');
  if (typeof given.jwks_url === 'string') await host.checkUrl(given.jwks_url, 'auth_settings.jwks_url');
  if (given.jwks != null) checkKeySet(given.jwks);
  if (given.domains !== undefined) after.domains = readDomains(before, given, host.randomText);
  return after;
}

function checkKeySet(given: unknown): void {
  const param = 'auth_settings.jwks';
  const keys = asObject(given)?.keys;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > mostKeys)
    throw refusal(`${param}.keys`, `must be a list of 1 to ${mostKeys} keys`);
  for (const [index, item] of asArray(keys).entries()) {
    const at = `${param}.keys[${index}]`;
    const key = asObject(item);
    if (key === undefined || typeof key.kty !== 'string') throw refusal(at, 'must be a JSON Web Key');
    const secret = privateMembers.find((name) => key[name] !== undefined);
    if (secret !== undefined || key.kty === 'oct')
      throw refusal(at, 'holds a private or symmetric key; only public keys are accepted');
    if (key.kty === 'RSA' && bytesOf(key.n) < leastRsaBytes)
      throw refusal(`${at}.n`, 'must be an RSA modulus of at least 2048 bits');
  }
}

function bytesOf(value: unknown): number {
  if (typeof value !== 'string') return 0;
  const bytes = Buffer.from(value, 'base64url');
  const leading = bytes.findIndex((byte) => byte !== 0);
  return leading < 0 ? 0 : bytes.length - leading;
}

/** A domain that stays keeps what has been shown about it; a new one starts unproven. */
function readDomains(before: JsonObject, given: JsonObject, randomText: (length: number) => string): JsonObject[] {
  const old = new Map(asObjects(before.domains).map((entry) => [entry.domain, entry]));
  const seen = new Set<string>();
  return asObjects(given.domains).map((entry, index) => {
    const domain = String(entry.domain).toLowerCase();
    if (seen.has(domain)) throw refusal(`auth_settings.domains[${index}].domain`, `names ${domain} a second time`);
    seen.add(domain);
    const known = old.get(domain);
    return {
      domain,
      verified: known?.verified === true,
      allow_subdomains: (entry.allow_subdomains ?? known?.allow_subdomains) === true,
      token: known?.token ?? randomText(32),
    };
  });
}
