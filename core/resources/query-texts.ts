import type { ParsedUrlQuery } from 'node:querystring';
import { GatewayError } from 'portcullis/sdk';
import type { FieldSchema } from './model.ts';
import { places, type QueryReader } from './query.ts';

/**
 * One text a parameter. Where one comes several times, a list has all of its values; of another that the route knows,
 * nobody could say which of two values is meant. Of one that means nothing to the route, the last is kept.
 * @throws GatewayError `bad_request` naming the parameter
 */
export function queryTexts(query: ParsedUrlQuery, reader: QueryReader | undefined): Record<string, string> {
  const known: Readonly<Record<string, object>> = { ...places, ...reader?.schema.properties };
  return Object.fromEntries(
    Object.entries(query).map(([name, value = '']) => [
      name,
      Array.isArray(value) ? oneOf(name, value, Object.hasOwn(known, name) ? known[name] : undefined) : value,
    ]),
  );
}

function oneOf(name: string, values: readonly string[], schema: FieldSchema | undefined): string {
  const given = [...new Set(values.filter((value) => value !== ''))];
  if (schema?.['x-several'] === true) return given.join(',');
  if (schema === undefined || given.length < 2) return given.at(-1) ?? '';
  const param = name.slice(0, 100);
  throw new GatewayError('bad_request', `${param} has two values that differ. It takes one.`, { param });
}
