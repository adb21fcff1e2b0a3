import { asObject, type Json, type JsonObject } from './json.ts';

/** Where a schema marks a secret deeper than on a property of its own: there nobody masks it. */
export function misplacedSecrets(schema: object): readonly string[] {
  const { properties, ...rest } = schema as JsonObject;
  const fields = Object.entries(asObject(properties) ?? {});
  const below = fields.flatMap(([name, field]) => {
    const { 'x-secret': _own, ...inner } = asObject(field) ?? {};
    return marksIn(inner, `properties.${name}`);
  });
  return [...marksIn(rest, ''), ...below];
}

function marksIn(value: Json, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, Json]) => {
    const place = at === '' ? key : `${at}.${key}`;
    return key === 'x-secret' && member === true ? [place] : marksIn(member, place);
  });
}
