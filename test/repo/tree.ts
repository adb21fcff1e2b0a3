import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
export const unitFolders = ['providers', 'guardrails', 'plugins'] as const;
export const sourceFolders = ['sdk', 'core', ...unitFolders] as const;
const generated = new Set(['node_modules', '.git', 'tmp']);

/** Every file below a folder of the repository, as paths from its root; what npm and git made is left out. */
export function filesBelow(folder: string): readonly string[] {
  const at = join(root, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at, { withFileTypes: true })
    .filter((entry) => !generated.has(entry.name))
    .flatMap((entry) => {
      const path = relative(root, join(at, entry.name));
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Folders of units: `providers/openai`. */
export function unitPaths(): readonly string[] {
  return unitFolders.flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map((entry) => `${folder}/${entry.name}`)
      : [],
  );
}

export const sources = sourceFolders.flatMap(filesBelow).filter((path) => /\.m?[tj]s$/.test(path));
export const tests = filesBelow('test').filter((path) => path.endsWith('.ts'));

/** `file:line: text` of each line that `wrong` finds fault with. */
export function faults(paths: readonly string[], wrong: (line: string, path: string) => boolean): readonly string[] {
  return paths.flatMap((path) =>
    textOf(path)
      .split('\n')
      .flatMap((line, index) => (wrong(line, path) ? [`${path}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
  );
}

/** Whether the line is a comment, or the inside of one. */
export function isComment(line: string): boolean {
  return /^\s*(\/\/|\/\*|\*)/.test(line);
}
