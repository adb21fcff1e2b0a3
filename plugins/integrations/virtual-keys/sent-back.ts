import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from 'portcullis/sdk';

/** Members about credentials, by the names that replies have them under too. */
const members = ['key', 'model_config', 'secret_mappings'];

/** What a body asks to change: clients send back what they have read, the empty `key` among it, which asks for nothing. */
export function withoutSentBack(body: JsonObject, shown: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(([name, member]) => !members.includes(name) || !isDeepStrictEqual(member, shown[name])),
  ) as Readonly<Record<string, Json>>;
}
