import { registerHooks } from 'node:module';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const shared = new Set(['portcullis/sdk', 'portcullis/sdk/testing']);
const unitBases = new Set<string>();
let registered = false;

/**
 * Lets units outside this package import `portcullis/sdk`: the name resolves as it does from here, whoever imports it.
 * So there is one copy of the sdk in the process, even for a unit that brings its own. The TypeScript files of the given
 * folders are read as ES modules, though no package.json beside them says so. Folders are added to those of earlier calls.
 */
export function resolveSdkForUnits(folders: readonly string[]): void {
  for (const folder of folders) unitBases.add(pathToFileURL(`${folder}${sep}`).href);
  // In this package the name resolves by itself, and a hook would be asked about each of a start's modules.
  if (registered || folders.length === 0) return;
  registered = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      if (shared.has(specifier)) return next(specifier, { ...context, parentURL: import.meta.url });
      const resolved = next(specifier, context);
      return isOfUnit(resolved.url) ? { ...resolved, format: 'module-typescript' } : resolved;
    },
  });
}

function isOfUnit(url: string): boolean {
  if (!/\.ts(\?|$)/.test(url) || url.includes('/node_modules/')) return false;
  return [...unitBases].some((base) => url.startsWith(base));
}
