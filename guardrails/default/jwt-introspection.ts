import { createHash } from 'node:crypto';
import { asNumber, asObject, type CheckHost, GatewayError, type JsonObject, parseJson } from 'portcullis/sdk';
import { TokenRefusal } from './jwt-refusal.ts';
import type { Introspection, JwtRules } from './jwt-rules.ts';

/** The answer is kept in the cache of checks, and its claims may appear in verdicts. */
const maxBytes = 16_384;

type Asking = Pick<CheckHost, 'fetch' | 'now' | 'cache'>;

/**
 * What the authorisation server says of a token (RFC 7662).
 * @throws TokenRefusal when it is not active, or not now
 * @throws GatewayError `check_failed` when the server gives no such answer
 */
export async function introspected(
  token: string,
  introspection: Introspection,
  rules: JwtRules,
  host: Asking,
): Promise<JsonObject> {
  const { url, cacheSeconds } = introspection;
  const key = `introspection ${createHash('sha256').update(`${url}\n${token}`).digest('base64url')}`;
  const known = asObject(host.cache.get(key));
  const claims = known ?? (await asked(token, introspection, host));
  if (claims.active !== true) throw new TokenRefusal('The token is not active.');
  const left = checkTimes(claims, rules, host.now());
  const seconds = Math.floor(Math.min(cacheSeconds, left));
  if (known === undefined && seconds >= 1) host.cache.set(key, claims, seconds);
  return claims;
}

async function asked(token: string, { url, contentType }: Introspection, host: Asking): Promise<JsonObject> {
  const form = contentType !== 'application/json';
  const reply = await host
    .fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': contentType },
      body: form ? new URLSearchParams({ token }).toString() : JSON.stringify({ token }),
      maxBytes,
    })
    .catch((cause: unknown) => {
      const why = GatewayError.is(cause) ? cause.message : 'the call failed.';
      throw new GatewayError('check_failed', `The introspection endpoint could not be asked: ${why}`, { cause });
    });
  const claims = reply.status === 200 ? asObject(parseJson(new TextDecoder().decode(reply.body))) : undefined;
  if (typeof claims?.active === 'boolean') return claims;
  const what = `status ${reply.status} and no answer that says whether the token is active`;
  throw new GatewayError('check_failed', `The introspection endpoint gave ${what}.`);
}

/** Seconds until the token expires. */
function checkTimes(claims: JsonObject, { clockToleranceSeconds, maxAgeSeconds }: JwtRules, nowMs: number): number {
  const now = nowMs / 1000;
  const { exp, nbf, iat } = claims;
  const left = exp === undefined ? Number.POSITIVE_INFINITY : seconds(exp) + clockToleranceSeconds - now;
  if (left <= 0) throw new TokenRefusal('The token has expired.');
  if (nbf !== undefined && seconds(nbf) - clockToleranceSeconds > now)
    throw new TokenRefusal('The claim nbf of the token does not hold or is missing.');
  if (iat !== undefined && now - seconds(iat) > maxAgeSeconds + clockToleranceSeconds)
    throw new TokenRefusal('The token is older than maxTokenAge.');
  return left;
}

function seconds(value: unknown): number {
  const number = asNumber(value);
  if (number !== undefined) return number;
  throw new GatewayError('check_failed', 'The introspection endpoint gave a time that is no number.');
}
