import { importJWK, type JWK } from 'jose';
import { asObject, asObjects, asString, type CheckHost, callJson, GatewayError, type JsonObject } from 'portcullis/sdk';
import { TokenRefusal } from './jwt-refusal.ts';

const mostKeys = 100;
/** An unknown key id has the set read again, but no more often than this. */
const againMs = 60_000;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'] as const;
const kinds: Readonly<Record<string, string>> = { RS: 'RSA', PS: 'RSA', ES: 'EC', Ed: 'OKP', HS: 'oct' };

type Fetching = Pick<CheckHost, 'fetch' | 'now'>;
export type VerifyingKey = Awaited<ReturnType<typeof importJWK>>;

export interface KeySource {
  /** @throws GatewayError `check_failed` when the set cannot be read */
  current(host: Fetching): readonly JsonObject[] | Promise<readonly JsonObject[]>;
  /** The set read again, or undefined where that is not due. */
  renewed(host: Fetching): Promise<readonly JsonObject[] | undefined>;
}

/** The set at a URL: read by one run for all, and again when it is older than `maxAgeSeconds`. */
export function fetchedKeys(url: string, maxAgeSeconds: number): KeySource {
  let held: { readonly keys: readonly JsonObject[]; readonly readAt: number } | undefined;
  let running: Promise<readonly JsonObject[]> | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;

  const read = async (host: Fetching): Promise<readonly JsonObject[]> => {
    triedAt = host.now();
    const json = await callJson(host, { vendor: 'The key set at jwksUri', url, method: 'GET' });
    try {
      held = { keys: keysOf(json, false), readAt: host.now() };
    } catch (cause) {
      const why = cause instanceof TypeError ? cause.message : 'it cannot be read';
      throw new GatewayError('check_failed', `The key set at jwksUri cannot be used: ${why}.`, { cause });
    }
    return held.keys;
  };

  const load = async (host: Fetching): Promise<readonly JsonObject[]> => {
    if (running !== undefined) {
      // The run that reads for all may be cut off for reasons of its own; then this one reads for itself.
      const shared = await running.catch(() => undefined);
      if (shared !== undefined) return shared;
    }
    running ??= read(host).finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    current: (host) => (held !== undefined && host.now() - held.readAt < maxAgeSeconds * 1000 ? held.keys : load(host)),
    renewed: async (host) => (host.now() - triedAt < againMs ? undefined : load(host)),
  };
}

/** @throws TypeError for what is no key set, is too large, or holds what nobody but the signer may have */
export function keysOf(jwks: JsonObject, sharedSecrets: boolean): readonly JsonObject[] {
  if (!Array.isArray(jwks.keys)) throw new TypeError('it has no list of keys');
  const keys = asObjects(jwks.keys);
  if (keys.length === 0 || keys.length > mostKeys) throw new TypeError(`it must have 1 to ${mostKeys} keys`);
  if (keys.some((key) => privateMembers.some((member) => key[member] !== undefined)))
    throw new TypeError('it holds a private key');
  if (!sharedSecrets && keys.some((key) => key.k !== undefined)) throw new TypeError('it holds a shared secret');
  return keys;
}

/**
 * The key that a token names. Undefined: the set has no such key.
 * @throws TokenRefusal when the token does not say which of several keys it means
 */
export function keyFor(keys: readonly JsonObject[], alg: string, kid: string | undefined): JsonObject | undefined {
  if (kid === undefined && keys.length > 1) throw new TokenRefusal('The token does not name its key as kid.');
  const named = kid === undefined ? keys : keys.filter((key) => key.kid === kid);
  const fitting = named.filter((key) => verifies(key, alg));
  if (fitting.length > 1) throw new TokenRefusal('The key set holds several keys of the id that the token names.');
  return fitting[0];
}

function verifies(key: JsonObject, alg: string): boolean {
  return (
    key.kty === kinds[alg.slice(0, 2)] &&
    (key.alg === undefined || key.alg === alg) &&
    (key.use === undefined || key.use === 'sig') &&
    (key.key_ops === undefined || (Array.isArray(key.key_ops) && key.key_ops.includes('verify')))
  );
}

const imported = new WeakMap<JsonObject, Map<string, Promise<VerifyingKey>>>();

/** @throws GatewayError `check_failed` for a key that cannot be used */
export function importedKey(key: JsonObject, alg: string): Promise<VerifyingKey> {
  const known = imported.get(key) ?? new Map<string, Promise<VerifyingKey>>();
  imported.set(key, known);
  const ready = known.get(alg) ?? imports(key, alg);
  known.set(alg, ready);
  return ready;
}

async function imports(key: JsonObject, alg: string): Promise<VerifyingKey> {
  try {
    return await importJWK(asObject(key) as JWK, alg);
  } catch (cause) {
    const id = asString(key.kid)?.slice(0, 100) ?? '';
    throw new GatewayError('check_failed', `The key "${id}" of the key set cannot be used.`, { cause });
  }
}
