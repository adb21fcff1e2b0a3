import type { JsonObject } from 'portcullis/sdk';
import { coerceText } from '../config/read-text.ts';
import type { InputReader } from './input.ts';

/** The parameters of a query that the schema names, numbers and booleans read from their texts. */
export function readQuery(reader: InputReader | undefined, query: Readonly<Record<string, string>>): JsonObject {
  if (reader === undefined) return {};
  const { properties } = reader.schema as { properties: Readonly<Record<string, object>> };
  const given = Object.entries(properties).flatMap(([name, schema]) => {
    const text = query[name];
    return text !== undefined && text !== '' ? [[name, coerceText(schema, text)] as const] : [];
  });
  return reader.read(Object.fromEntries(given));
}
