import { asObject, compact, type Json, type JsonObject } from '../../json.ts';
import type { CacheMark } from '../neutral.ts';

/** The mark in a `cache_control` field as `{ cache }`, or nothing when there is none. */
export function cacheOf(object: JsonObject): { readonly cache?: CacheMark } {
  const control = asObject(object.cache_control);
  if (control === undefined) return {};
  const ttl = control.ttl;
  return { cache: ttl === '5m' || ttl === '1h' ? { ttl } : {} };
}

/** The `cache_control` value of a mark; undefined for none. */
export function cacheControl(mark: CacheMark | undefined): Json | undefined {
  return mark === undefined ? undefined : compact({ type: 'ephemeral', ttl: mark.ttl });
}
