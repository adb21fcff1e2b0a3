import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { type CheckHost, GatewayError, type JsonObject } from 'portcullis/sdk';
import { importedKey, type KeySource, keyFor } from './jwt-keys.ts';
import { TokenRefusal } from './jwt-refusal.ts';
import type { JwtRules } from './jwt-rules.ts';

export interface SignedToken {
  /** The token's own header, protected by its signature. */
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/**
 * Verifies the signature and the times.
 * @throws TokenRefusal when they do not hold
 * @throws GatewayError `check_failed` when the keys cannot be had
 */
export async function signedToken(
  token: string,
  keys: KeySource,
  rules: JwtRules,
  host: Pick<CheckHost, 'fetch' | 'now'>,
): Promise<SignedToken> {
  const { alg, kid } = headerOf(token);
  if (alg === undefined || !rules.algorithms.includes(alg))
    throw new TokenRefusal(`The token must be signed with ${rules.algorithms.join(', ')}.`);
  const jwk = keyFor(await keys.current(host), alg, kid) ?? keyFor((await keys.renewed(host)) ?? [], alg, kid);
  if (jwk === undefined) throw new TokenRefusal('The key set has no key for the token.');
  try {
    const { payload, protectedHeader } = await jwtVerify(token, await importedKey(jwk, alg), {
      algorithms: [alg],
      clockTolerance: rules.clockToleranceSeconds,
      maxTokenAge: rules.maxAgeSeconds,
      currentDate: new Date(host.now()),
    });
    return { header: protectedHeader as unknown as JsonObject, claims: payload as unknown as JsonObject };
  } catch (error) {
    throw GatewayError.is(error) ? error : new TokenRefusal(reasonOf(error));
  }
}

function headerOf(token: string): { readonly alg?: string; readonly kid?: string } {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    return { ...(typeof alg === 'string' ? { alg } : {}), ...(typeof kid === 'string' ? { kid } : {}) };
  } catch {
    throw new TokenRefusal('The token is no signed JWT.');
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired)
    return error.claim === 'iat' ? 'The token is older than maxTokenAge.' : 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The claim ${error.claim} of the token does not hold or is missing.`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token does not fit.';
  return 'The token cannot be verified.';
}
