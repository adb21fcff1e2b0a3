import { asArray, asObject, type Json, type JsonObject, parseJson } from 'portcullis/sdk';

/** Names of fields whose values are never written down, whatever resource they belong to. */
const secretName =
  /(^|_|-)(key|keys|secret|secrets|token|tokens|password|passwd|passphrase|credential|credentials|authorization|cookie|private|signature|pat|client_auth)$|access_?key|api[-_]?key|service_account_json|^auth$/i;
const harmless = new Set(['secret_key', 'value_key', 'scim_group_key', 'group_by', 'target_field']);
/** Below these stand settings of others, whose names tell nothing: all of their values are masked. */
const opaque = new Set(['configurations', 'headers', 'model_config', 'auth_config', 'custom_headers', 'client_auth']);
const mask = '*****';
const deepest = 20;

/** A copy in which secrets are masked by the names of their fields, camelCase too. */
export function masked(value: JsonObject): JsonObject {
  return maskedValue(value, false, 0) as JsonObject;
}

function maskedValue(value: Json, all: boolean, depth: number): Json {
  if (depth > deepest) return mask;
  if (typeof value === 'string' && !all && /^\s*[{[]/.test(value)) return maskedText(value, depth);
  if (Array.isArray(value)) return asArray(value).map((item) => maskedValue(item, all, depth + 1));
  const object = asObject(value);
  if (object === undefined) return all && (typeof value === 'string' || typeof value === 'number') ? mask : value;
  return Object.fromEntries(
    Object.entries(object).map(([name, member = null]) => {
      const snake = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
      const hides = isSecret(snake) && member !== null && typeof member !== 'boolean';
      return [name, hides ? mask : maskedValue(member, all || opaque.has(snake), depth + 1)];
    }),
  );
}

/** Some bodies carry an object as its text. One that cannot be read may hold anything. */
function maskedText(text: string, depth: number): string {
  const value = parseJson(text);
  return value === undefined ? mask : JSON.stringify(maskedValue(value, false, depth + 1));
}

function isSecret(name: string): boolean {
  return !harmless.has(name) && secretName.test(name);
}
