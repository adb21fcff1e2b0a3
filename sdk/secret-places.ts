import { asObject, type Json, type JsonObject } from './json.ts';

/** Where a schema marks a secret that nobody would mask: anywhere but on properties, and properties of these. */
export function misplacedSecrets(schema: object, at = ''): readonly string[] {
  const { properties, ...rest } = schema as JsonObject;
  const below = Object.entries(asObject(properties) ?? {}).flatMap(([name, field]) => {
    const { 'x-secret': _own, ...inner } = asObject(field) ?? {};
    return misplacedSecrets(inner, `${at}properties.${name}.`);
  });
  return [...marksIn(rest, at), ...below];
}

function marksIn(value: Json, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, Json]) =>
    key === 'x-secret' && member === true ? [at + key] : marksIn(member, `${at}${key}.`),
  );
}

/** Whether a schema marks what it describes, or a property of it at any level, as a secret. */
export function bearsSecret(schema: Json | undefined): boolean {
  const node = asObject(schema);
  if (node === undefined) return false;
  return node['x-secret'] === true || Object.values(asObject(node.properties) ?? {}).some(bearsSecret);
}
