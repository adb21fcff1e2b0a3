import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { asObject, GatewayError, type JsonObject } from 'portcullis/sdk';
import type { SigningKey } from '../config/gateway-config.ts';

export const algorithm = 'EdDSA';

export interface PrivateKey extends SigningKey {
  readonly kid: string;
  readonly d: string;
}

/** Public keys by their thumbprints (RFC 7638). */
export type KeyRing = ReadonlyMap<string, CryptoKey>;

export async function newPrivateKey(): Promise<PrivateKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const { x = '', d = '' } = await exportJWK(privateKey);
  return { ...publicPart({ kid: await thumbprintOf(x), x }), d };
}

/** The key that may be shown. */
export function publicPart({ kid, x }: { readonly kid: string; readonly x: string }): SigningKey & { kid: string } {
  return { kid, kty: 'OKP', crv: 'Ed25519', x };
}

export function thumbprintOf(x: string): Promise<string> {
  return calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x });
}

/**
 * @param param names the list in errors
 * @throws GatewayError `invalid_config` for a key that is none, or bears the id of another
 */
export async function keyRingOf(keys: readonly SigningKey[], param: string): Promise<KeyRing> {
  const ring = new Map<string, CryptoKey>();
  for (const [index, key] of keys.entries()) {
    const at = `${param}[${index}]`;
    const kid = await thumbprintOf(key.x);
    if (key.kid !== undefined && key.kid !== kid) {
      const text = `${at}.kid is not the thumbprint of its key, ${kid}. Correct it, or leave it out.`;
      throw new GatewayError('invalid_config', text, { param: `${at}.kid` });
    }
    ring.set(kid, await imported({ kty: key.kty, crv: key.crv, x: key.x }, at));
  }
  return ring;
}

/** @param where begins the messages, which never repeat a value */
export async function imported(jwk: JWK, where: string): Promise<CryptoKey> {
  try {
    return (await importJWK(jwk, algorithm)) as CryptoKey;
  } catch {
    // The cause might hold the key.
    throw new GatewayError('invalid_config', `${where} is no Ed25519 key.`, { param: where });
  }
}

/** A key as it stands in a file. @throws GatewayError `invalid_config` */
export function publicKeyIn(value: unknown, where: string): SigningKey {
  const jwk = ed25519(value, where);
  if (jwk.d !== undefined) {
    const text = `${where} holds a private key, which nobody needs to verify anything. Give the public one.`;
    throw new GatewayError('invalid_config', text);
  }
  const { kid, x } = jwk;
  return {
    ...(typeof kid === 'string' ? { kid } : {}),
    kty: 'OKP',
    crv: 'Ed25519',
    x: x as string,
  };
}

/** @throws GatewayError `invalid_config` */
export async function privateKeyIn(value: unknown, where: string): Promise<PrivateKey> {
  const { x, d } = ed25519(value, where);
  if (!isBytes(d)) throw new GatewayError('invalid_config', `${where} holds no private key.`);
  return { ...publicPart({ kid: await thumbprintOf(x as string), x: x as string }), d };
}

function ed25519(value: unknown, where: string): JsonObject {
  const jwk = asObject(value);
  if (jwk?.kty === 'OKP' && jwk.crv === 'Ed25519' && isBytes(jwk.x)) return jwk;
  const text = `${where} must hold an Ed25519 key as JWK: an object with kty OKP, crv Ed25519 and x.`;
  throw new GatewayError('invalid_config', text);
}

function isBytes(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value);
}
