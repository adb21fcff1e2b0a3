import { lstatSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';

const here = import.meta.dirname;

let known: readonly string[] | undefined;

/** As `foundFlags`, which are looked for once: later ones may have no descriptors left to look with. */
export function childFlags(): readonly string[] {
  known ??= foundFlags();
  return known;
}

/** Node's flags for the sandbox's process: nothing of the file system but the sandbox's own files; an environment of nothing; little memory beside the isolates'. */
function foundFlags(): readonly string[] {
  const require = createRequire(import.meta.url);
  const native = require.resolve('isolated-vm/package.json');
  const loader = createRequire(native).resolve('node-gyp-build/package.json');
  // Where all packages stand behind a link, Node looks at the link itself; that may be granted as a whole folder only.
  const links = (require.resolve.paths('isolated-vm') ?? []).filter(isLink);
  const folders = [here, dirname(native), dirname(loader)].flatMap((folder) => [folder, realpathSync(folder)]);
  const files = [join(here, '..', '..', 'package.json')];
  return [
    '--no-node-snapshot',
    '--permission',
    '--allow-addons',
    '--max-old-space-size=128',
    // Contexts serve one run: what V8 puts off until code has proved hot, it would never do.
    '--always-sparkplug',
    '--no-lazy-feedback-allocation',
    ...[...new Set([...folders, ...links])].map((folder) => `--allow-fs-read=${folder}${sep}`),
    ...files.map((file) => `--allow-fs-read=${file}`),
  ];
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
