import { errors, jwtVerify } from 'jose';
import type { JsonObject } from 'portcullis/sdk';
import type { VerifyingKey } from './keys.ts';
import { refuse } from './refuse.ts';

/** Clocks may differ by so much. */
export const skewSeconds = 5;

export interface VerifiedToken {
  readonly claims: JsonObject;
  /** Epoch milliseconds; the skew is in it. */
  readonly until: number;
}

/** @throws GatewayError `unauthenticated` when the signature or the times do not hold */
export async function verified(token: string, { key }: VerifyingKey, now: number): Promise<VerifiedToken> {
  const { payload } = await jwtVerify(token, key, {
    algorithms: ['RS256'],
    clockTolerance: skewSeconds,
    requiredClaims: ['exp'],
    currentDate: new Date(now),
  }).catch((error: unknown) => refuse(reasonOf(error)));
  const { iat, exp = 0 } = payload;
  if (iat !== undefined && iat > now / 1000 + skewSeconds) refuse('was issued in the future');
  return { claims: payload as unknown as JsonObject, until: (exp + skewSeconds) * 1000 };
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `has the claim ${error.claim}, which does not hold or is missing`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'has a signature that does not fit';
  return 'cannot be verified';
}
