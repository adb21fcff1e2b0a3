import { asArray, asObject, type Json, type JsonObject, standardLimits } from 'portcullis/sdk';

/** The parts of a manifest that say what a plugin may do, and where it takes part. */
const parts = ['kind', 'phases', 'serves', 'control', 'tables', 'limits', 'permissions'] as const;

/** What a manifest asks for, each as a line: `permissions.net: api.example.com:443`. Takes manifests of any version. */
export function authorityOf(manifest: JsonObject): readonly string[] {
  // What it gets without asking counts as well: a version that no longer asks for less would get more.
  const limits = manifest.kind === 'guardrail' ? { ...standardLimits, ...asObject(manifest.limits) } : manifest.limits;
  return parts.flatMap((part) => lines(part, part === 'limits' ? limits : manifest[part]));
}

/** What one manifest asks for, and what of it another did not. */
export function difference(before: readonly string[], now: readonly string[]) {
  return {
    added: now.filter((line) => !before.includes(line) && !before.some((other) => isLess(line, other))),
    removed: before.filter((line) => !now.includes(line)),
  };
}

/** Whether a line is the limit of another one, and no higher. */
function isLess(line: string, other: string): boolean {
  const [name = '', value] = line.split(': ');
  return name.startsWith('limits.') && other.startsWith(`${name}: `) && Number(value) <= Number(other.split(': ')[1]);
}

function lines(path: string, value: Json | undefined): readonly string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [path];
  if (Array.isArray(value)) return asArray(value).map((entry) => `${path}: ${String(entry).replace(/\s+/g, ' ')}`);
  const members = asObject(value);
  if (members === undefined) return [`${path}: ${String(value).replace(/\s+/g, ' ')}`];
  return Object.entries(members).flatMap(([name, member]) => lines(`${path}.${name}`, member));
}
