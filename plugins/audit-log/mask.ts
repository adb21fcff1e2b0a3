import { type Json, type JsonObject, snakeName } from 'portcullis/sdk';

const masked = '*****';
const secretName = /(^|_)(secret|token|password|passwd|api_key|access_key|private_key|credentials?|authorization)$/;

/**
 * A copy without secrets, by the names of its members in either spelling. Whoever wrote the entry has masked what it knows
 * to be secret already; this is the second lock, for details of any shape.
 */
export function mask(values: JsonObject): JsonObject {
  return object(values, true);
}

function object(values: JsonObject, top: boolean): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecret(name, value, top) ? masked : inside(value)]),
  );
}

function inside(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => inside(item));
  return typeof value === 'object' && value !== null ? object(value as JsonObject, false) : value;
}

/** `key` is a credential where it is a record's own; deeper down it names what a condition compares. */
function isSecret(name: string, value: Json, top: boolean): boolean {
  if (typeof value !== 'string' || value === '' || value.includes(masked)) return false;
  const snake = snakeName(name).replace(/[^a-zA-Z0-9]+/g, '_');
  return secretName.test(snake) || (top && snake === 'key');
}
