import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { JsonObject } from 'portcullis/sdk';

/** 2026-01-01T00:00:00Z: what the clock of test hosts says. */
export const nowSeconds = 1_767_225_600;

export interface Signer {
  /** Its public half. */
  readonly jwk: JsonObject;
  sign(claims: JsonObject, header?: JsonObject): Promise<string>;
}

/** A key pair with an id; tokens are signed now unless the claims say otherwise. */
export async function createSigner(kid: string, alg = 'RS256'): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const jwk = { ...(await exportJWK(publicKey)), kid, alg } as JsonObject;
  return {
    jwk,
    sign: (claims, header = { kid }) =>
      new SignJWT({ iat: nowSeconds, ...claims } as JWTPayload).setProtectedHeader({ alg, ...header }).sign(privateKey),
  };
}
