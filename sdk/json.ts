/** Any JSON value. */
export type Json = string | number | boolean | null | JsonArray | JsonObject;
export type JsonArray = readonly Json[];
/** A JSON object; reading a key that is absent gives undefined. */
export type JsonObject = { readonly [key: string]: Json };

/** The value as an object, or undefined when it is anything else (arrays included). */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The value as an array, or an empty one. */
export function asArray(value: unknown): JsonArray {
  return Array.isArray(value) ? (value as JsonArray) : [];
}

/** The value as a list of objects; members of any other type are left out. */
export function asObjects(value: unknown): readonly JsonObject[] {
  return asArray(value).filter((item): item is JsonObject => asObject(item) !== undefined);
}

/** The value as a string, or undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value as a finite number, or undefined. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The value as a boolean, or undefined. */
export function asBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The parsed text, or undefined when it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** As an assignment would, but for `__proto__`, which would change what the object is instead of what it holds. */
function put(target: { [key: string]: Json }, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A copy of the object without the keys whose value is undefined. */
export function compact(fields: { readonly [key: string]: Json | undefined }): JsonObject {
  const kept: { [key: string]: Json } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) put(kept, key, value);
  }
  return kept;
}

/** A copy of the object without the named keys. */
export function omit(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  const kept: { [key: string]: Json } = {};
  for (const key in object) {
    const value = object[key];
    if (!keys.has(key) && value !== undefined) put(kept, key, value);
  }
  return kept;
}
