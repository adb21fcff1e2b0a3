import type { CheckHost } from '../contracts/guardrail.ts';
import { GatewayError } from '../errors.ts';
import type { Json } from '../json.ts';

const maxEntries = 1000;
const maxEntryBytes = 16_384;
const maxTtlSeconds = 86_400;

/** The cache of a check, on the test's clock and with the gateway's bounds. */
export function createCheckCache(now: () => number): CheckHost['cache'] {
  const entries = new Map<string, { readonly json: string; readonly until: number }>();
  return {
    get: (key) => {
      const entry = entries.get(key);
      return entry === undefined || entry.until <= now() ? undefined : (JSON.parse(entry.json) as Json);
    },
    set: (key, value, ttlSeconds) => {
      if (!(ttlSeconds >= 1 && ttlSeconds <= maxTtlSeconds)) {
        const text = `A check must keep what it caches for 1 to ${maxTtlSeconds} seconds.`;
        throw new GatewayError('bad_request', text, { param: 'ttlSeconds' });
      }
      const json = JSON.stringify(value);
      entries.delete(key);
      if (Buffer.byteLength(json) > maxEntryBytes) return;
      entries.set(key, { json, until: now() + ttlSeconds * 1000 });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}
