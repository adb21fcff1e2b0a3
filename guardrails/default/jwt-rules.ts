import { GatewayError, linearPattern, type Static } from 'portcullis/sdk';
import type { ClaimRules } from './jwt-claims.ts';
import { secondsOf } from './jwt-duration.ts';
import { fetchedKeys, type KeySource, keysOf } from './jwt-keys.ts';
import type { jwtParameters } from './jwt-parameters.ts';
import { targetUrl } from './post-target.ts';

type Given = Static<typeof jwtParameters>;

/** Parameters of which every part fits together. */
export interface JwtRules extends ClaimRules {
  readonly headerName: string;
  readonly keys: KeySource | undefined;
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  readonly maxAgeSeconds: number;
  readonly extract: readonly string[];
  readonly prefix: string;
  readonly introspection: Introspection | undefined;
}

export interface Introspection {
  readonly url: string;
  readonly contentType: string;
  readonly cacheSeconds: number;
}

/** @throws GatewayError `invalid_config` for parameters that contradict each other, or patterns that cannot be used */
export function jwtRules(given: Given): JwtRules {
  const introspection = introspectionOf(given);
  const keys = keySourceOf(given);
  if (keys === undefined && introspection === undefined)
    throw fault('jwksUri', 'One of jwksUri, jwks and introspectEndpoint is required.');
  const list = (value: string | readonly string[] | undefined) => (typeof value === 'string' ? [value] : (value ?? []));
  return {
    headerName: given.headerKey.toLowerCase(),
    keys,
    algorithms: given.algorithms,
    clockToleranceSeconds: given.clockTolerance,
    maxAgeSeconds: secondsOf(given.maxTokenAge, 'maxTokenAge'),
    issuers: list(given.issuer),
    audiences: list(given.audience),
    required: given.requiredClaims ?? [],
    claims: Object.entries(given.claimValues ?? {}).map(([claim, { values, matchType: match = 'exact' }]) => ({
      claim,
      match,
      values: list(values),
      patterns:
        match === 'regex' ? list(values).map((text) => linearPattern(text, '', `claimValues.${claim}.values`)) : [],
    })),
    inBoth: given.headerPayloadMatch ?? [],
    extract: given.extractClaims ?? [],
    prefix: given.claimPrefix,
    introspection,
  };
}

function keySourceOf({ jwks, jwksUri, algorithms, cacheMaxAge }: Given): KeySource | undefined {
  if (jwks !== undefined && jwksUri !== undefined) throw fault('jwks', 'Give jwks or jwksUri, not both.');
  if (jwksUri !== undefined) {
    // Whoever can read the set of a URL could sign with a shared secret in it.
    if (algorithms.some((name) => name.startsWith('HS')))
      throw fault('algorithms', 'HS256, HS384 and HS512 need the key in jwks; jwksUri takes public keys only.');
    return fetchedKeys(targetUrl(jwksUri, 'jwksUri'), cacheMaxAge);
  }
  if (jwks === undefined) return undefined;
  try {
    const keys = keysOf(jwks, true);
    return { current: () => keys, renewed: async () => undefined };
  } catch (cause) {
    const why = cause instanceof TypeError ? cause.message : 'it cannot be read';
    throw new GatewayError('invalid_config', `jwks is no key set to verify with: ${why}.`, { param: 'jwks', cause });
  }
}

function introspectionOf(given: Given): Introspection | undefined {
  const { introspectEndpoint: url, introspectContentType, introspectCacheMaxAge } = given;
  if (url === undefined) {
    const idle = Object.entries({ introspectContentType, introspectCacheMaxAge }).find(
      ([, value]) => value !== undefined,
    );
    if (idle === undefined) return undefined;
    throw fault(idle[0], `${idle[0]} needs an introspectEndpoint.`);
  }
  return {
    url: targetUrl(url, 'introspectEndpoint'),
    contentType: introspectContentType ?? 'application/x-www-form-urlencoded',
    cacheSeconds: introspectCacheMaxAge ?? 0,
  };
}

function fault(param: string, text: string): GatewayError {
  return new GatewayError('invalid_config', text, { param });
}
