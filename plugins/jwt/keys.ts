import { importJWK } from 'jose';
import { asObjects, asString, type JsonObject } from 'portcullis/sdk';

/** A public key that tokens are verified with; the same object as long as its material stays the same. */
export interface VerifyingKey {
  readonly kid: string;
  readonly key: Exclude<Awaited<ReturnType<typeof importJWK>>, Uint8Array>;
  readonly material: string;
}

export type KeySet = ReadonlyMap<string, VerifyingKey>;

const mostKeys = 100;
const leastBits = 2048;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;

/**
 * The RSA keys of a set that may verify RS256, by their ids. Keys of other kinds are left out, and so are ids that stand twice.
 * @param before keys that are kept where they have not changed
 * @throws TypeError for what is no key set, is too large, or holds a private key
 */
export async function keySetOf(jwks: JsonObject, before: KeySet = new Map()): Promise<KeySet> {
  if (!Array.isArray(jwks.keys)) throw new TypeError('it has no list of keys');
  const keys = asObjects(jwks.keys);
  if (keys.length > mostKeys) throw new TypeError(`it has more than ${mostKeys} keys`);
  if (keys.some((key) => privateMembers.some((member) => key[member] !== undefined))) {
    throw new TypeError('it holds a private key');
  }
  const usable = keys.filter(verifies);
  const set = new Map<string, VerifyingKey>();
  for (const jwk of usable) {
    const kid = asString(jwk.kid) ?? '';
    if (usable.filter((other) => other.kid === kid).length > 1) continue;
    const material = `${jwk.n}.${jwk.e}`;
    const known = before.get(kid);
    set.set(kid, known?.material === material ? known : { kid, material, key: await imported(jwk) });
  }
  return set;
}

function verifies(jwk: JsonObject): boolean {
  const { kty, kid, alg, use, key_ops: operations } = jwk;
  return (
    kty === 'RSA' &&
    typeof kid === 'string' &&
    kid !== '' &&
    (alg === undefined || alg === 'RS256') &&
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify'))) &&
    bitsOf(asString(jwk.n)) >= leastBits &&
    isExponent(asString(jwk.e))
  );
}

async function imported({ n, e }: JsonObject): Promise<VerifyingKey['key']> {
  const key = await importJWK({ kty: 'RSA', n: String(n), e: String(e) }, 'RS256');
  if (key instanceof Uint8Array) throw new TypeError('it holds a secret key');
  return key;
}

function bitsOf(modulus: string | undefined): number {
  const bytes = Buffer.from(modulus ?? '', 'base64url');
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first] ?? 0) + 24;
}

/** With the exponent 1 every text signs itself. */
function isExponent(text: string | undefined): boolean {
  const hex = Buffer.from(text ?? '', 'base64url').toString('hex');
  const exponent = BigInt(`0x${hex === '' ? '0' : hex}`);
  return exponent >= 3n && exponent % 2n === 1n;
}
