import { GatewayError, type MaybePromise } from 'portcullis/sdk';
import type { Exchange, ExchangeOptions } from '../pipeline/exchange.ts';

/** A request with its key where all others have theirs, so that no log of URLs holds it. */
export interface KeyedRequest extends Pick<ExchangeOptions, 'query' | 'headers'> {
  /** It came in the query. */
  readonly moved: boolean;
}

/**
 * @param given `query` with its `?`, or ''
 * @param vendor of the header that holds keys of the gateway
 */
export function withKeyInHeader(given: KeyedRequest, vendor: string): KeyedRequest {
  const wanted = new URLSearchParams(given.query);
  const key = wanted.get('key');
  if (key === null) return given;
  wanted.delete('key');
  const rest = wanted.toString();
  return {
    query: rest === '' ? '' : `?${rest}`,
    headers: { ...given.headers, [`x-${vendor}-api-key`]: key },
    moved: true,
  };
}

/**
 * URLs end up in logs on the way here, so nobody is to get used to putting a provider's key into one.
 * @throws GatewayError `unauthenticated` for a key in the query that is none of the gateway
 */
export async function identifiedByQuery(exchange: Exchange, identify: () => MaybePromise<void>): Promise<void> {
  try {
    await identify();
  } catch (error) {
    if (GatewayError.is(error) && error.code === 'unauthenticated') throw foreignKey();
    throw error;
  }
  if (exchange.principal.kind === 'anonymous') throw foreignKey();
}

function foreignKey(): GatewayError {
  const text =
    'The key in the query is none of the gateway. Only a key of the gateway may stand there: send any other as x-goog-api-key.';
  return new GatewayError('unauthenticated', text, { param: 'key' });
}
