import { asArray, asObject, type Json, type JsonObject } from 'portcullis/sdk';

/** The parts of a manifest that say what a plugin may do, and where it takes part. */
const parts = ['kind', 'phases', 'serves', 'control', 'tables', 'limits', 'permissions'] as const;

/** What a manifest asks for, each as a line: `permissions.net: api.example.com:443`. Takes manifests of any version. */
export function authorityOf(manifest: JsonObject): readonly string[] {
  return parts.flatMap((part) => lines(part, manifest[part]));
}

/** What one manifest asks for, and what of it another did not. */
export function difference(before: readonly string[], now: readonly string[]) {
  return {
    added: now.filter((line) => !before.includes(line)),
    removed: before.filter((line) => !now.includes(line)),
  };
}

function lines(path: string, value: Json | undefined): readonly string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [path];
  if (Array.isArray(value)) return asArray(value).map((entry) => `${path}: ${String(entry).replace(/\s+/g, ' ')}`);
  const members = asObject(value);
  if (members === undefined) return [`${path}: ${String(value).replace(/\s+/g, ' ')}`];
  return Object.entries(members).flatMap(([name, member]) => lines(`${path}.${name}`, member));
}
