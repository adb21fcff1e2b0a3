import { asObject, asString, compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { CacheMark } from '../neutral.ts';

/** Reads `cache_control: { type: 'ephemeral', ttl? }`; undefined when it is anything else. A ttl other than 5m and 1h is left out. */
export function readCacheMark(value: Json | undefined): CacheMark | undefined {
  const control = asObject(value);
  if (control === undefined || control.type !== 'ephemeral') return undefined;
  const ttl = asString(control.ttl);
  return ttl === '5m' || ttl === '1h' ? { ttl } : {};
}

/** The mark as fields to spread into a part, message or tool; the format's own documents do not name it, so strict drops it. */
export function cacheFields(mark: CacheMark | undefined, context: CodecContext): JsonObject {
  if (mark === undefined) return {};
  if (!context.strict) return { cache_control: compact({ type: 'ephemeral', ttl: mark.ttl }) };
  context.dropped('cache_control');
  return {};
}
