import { asArray, asObject, asObjects, asString, compact, type Json, type JsonObject } from 'portcullis/sdk';

/** Values as a query; a list repeats its name, and what is no plain value is left out. */
export function queryOf(fields: { readonly [name: string]: Json | undefined }): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? asArray(value) : [value]) {
      if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean')
        query.append(name, String(item));
    }
  }
  return query.toString();
}

/** Faults: `{ err_code, err_msg }`, or `{ category, message, details }`. */
export function faultIn(json: JsonObject): JsonObject {
  const parts = [asString(json.err_msg) ?? asString(json.message), asString(json.details)];
  const message = parts.filter((part) => part !== undefined && part !== '').join(' ');
  return message === '' ? json : { error: compact({ message, code: asString(json.err_code ?? json.category) }) };
}

/** What was heard, by channels of the sound. */
export function channelsIn(json: JsonObject): readonly JsonObject[] {
  return asObjects(asObject(json.results)?.channels);
}
