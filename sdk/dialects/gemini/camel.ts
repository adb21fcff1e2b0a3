import type { Json, JsonObject } from '../../json.ts';

/**
 * The object with its own keys in lowerCamelCase, values untouched. The API reads both spellings of every field
 * (ProtoJSON), and its documents use both: `generation_config` and `generationConfig`.
 */
export function camelKeys(object: JsonObject): JsonObject {
  const keys = Object.keys(object);
  if (!keys.some((key) => key.includes('_'))) return object;
  const copy: { [key: string]: Json } = {};
  for (const key of keys) {
    const value = object[key];
    if (value !== undefined) copy[camelCase(key)] = value;
  }
  return copy;
}

export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
