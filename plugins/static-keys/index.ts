import { hash, timingSafeEqual } from 'node:crypto';
import { type FileKey, GatewayError, type Principal, plugin, schema, type UnidentifiedRequest } from 'portcullis/sdk';

/** What an SDK that insists on a key may send to a gateway that has none: it is not taken for a provider's key. */
const localKey = 'portcullis';

/** Where SDKs put their key, in the order in which it is looked for. */
const credentialHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const;

const anonymous: Principal = Object.freeze({ id: 'anonymous', kind: 'anonymous' });

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: (_, host) => {
    const keys = host.file('keys');
    if (keys.length === 0) return { open: true, identify: localCaller };
    const find = finder(keys);
    return {
      identify: (request) => {
        const own = request.control('api-key');
        if (own !== undefined) return find(own, undefined) ?? refuse();
        for (const header of credentialHeaders) {
          const value = request.headers[header];
          const principal = value === undefined ? undefined : find(bare(value), header);
          if (principal !== undefined) return principal;
        }
        return credentialHeaders.some((header) => request.headers[header] !== undefined) ? refuse() : undefined;
      },
    };
  },
});

function refuse(): never {
  throw new GatewayError('unauthenticated', 'The API key is unknown or revoked.');
}

function localCaller(request: UnidentifiedRequest): Principal {
  const consumed = credentialHeaders.find(
    (header) => request.headers[header] !== undefined && bare(request.headers[header] ?? '') === localKey,
  );
  return consumed === undefined ? anonymous : { ...anonymous, consumed };
}

function bare(value: string): string {
  return value.startsWith('Bearer ') ? value.slice(7) : value.replace(/^bearer\s+/i, '');
}

/**
 * Only hashes are compared, so neither the look-up nor the comparison takes a time that tells of a key;
 * a malformed key costs one hash and nothing else.
 */
function finder(keys: readonly FileKey[]) {
  const known = new Map(
    keys.map((key) => {
      const principal = {
        id: `key:${key.name}`,
        kind: 'key' as const,
        name: key.name,
        ...(key.metadata === undefined ? {} : { metadata: key.metadata }),
        ...(key.config === undefined ? {} : { config: key.config }),
        ...(key.guardrails === undefined ? {} : { guardrails: key.guardrails }),
      };
      const sha256 = key.sha256.toLowerCase();
      return [
        sha256,
        { digest: Buffer.from(sha256, 'latin1'), direct: principal, byHeader: new Map<string, Principal>() },
      ];
    }),
  );
  return (candidate: string, consumed: string | undefined): Principal | undefined => {
    const digest = hash('sha256', candidate, 'hex');
    const entry = known.get(digest);
    if (entry === undefined || !timingSafeEqual(entry.digest, Buffer.from(digest, 'latin1'))) return undefined;
    if (consumed === undefined) return entry.direct;
    const principal = entry.byHeader.get(consumed) ?? { ...entry.direct, consumed };
    entry.byHeader.set(consumed, principal);
    return principal;
  };
}
