import { LRUCache } from 'lru-cache';
import { GatewayError, type Json } from 'portcullis/sdk';

const maxEntries = 1_000;
const maxValueBytes = 16 * 1024;
const maxKeyLength = 256;
const maxOwners = 1_000;

interface Kept {
  readonly value: Json;
  readonly until: number;
}

/** The caches of all units and organisations: each pair has one of its own. */
export function createCheckCaches(now: () => number) {
  const owners = new LRUCache<string, LRUCache<string, Kept>>({ max: maxOwners });
  return (unit: string, organisationId: string | undefined) => {
    const owner = `${unit}/${organisationId ?? ''}`;
    const own = owners.get(owner) ?? new LRUCache<string, Kept>({ max: maxEntries });
    owners.set(owner, own);
    return {
      get: (key: string): Json | undefined => {
        const kept = own.get(key);
        return kept === undefined || kept.until <= now() ? undefined : kept.value;
      },
      set: (key: string, value: Json, ttlSeconds: number): void => {
        refuse(key.length > maxKeyLength, `A cache key may have ${maxKeyLength} characters at most.`);
        refuse(!(ttlSeconds >= 1 && ttlSeconds <= 86_400), 'ttlSeconds must be from 1 to 86,400.');
        const size = Buffer.byteLength(JSON.stringify(value) ?? '');
        refuse(size > maxValueBytes, `A cached value may have ${maxValueBytes} bytes of JSON at most.`);
        own.set(key, { value, until: now() + ttlSeconds * 1000 });
      },
    };
  };
}

function refuse(wrong: boolean, why: string): void {
  if (wrong) throw new GatewayError('check_failed', why);
}
