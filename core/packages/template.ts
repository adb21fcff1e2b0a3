import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatewayError } from 'portcullis/sdk';
import { readFolder } from './folder-files.ts';

const source = fileURLToPath(new URL('./template', import.meta.url));
const packageRoot = fileURLToPath(new URL('../..', import.meta.url));
/** Stands in the template wherever the unit's own name belongs. */
const placeholder = /\btemplate-unit\b/g;

/**
 * Writes a guardrail that passes the conformance kit as it is, and a link by which editors find the types of the sdk.
 * @returns the paths of the files
 * @throws GatewayError `bad_request` for a folder that holds anything, or cannot be written
 */
export async function writeTemplate(folder: string, name: string): Promise<readonly string[]> {
  const there = await readdir(folder).catch((cause) => {
    if (cause.code === 'ENOENT') return [];
    throw new GatewayError('bad_request', `${folder} cannot be read as a folder.`, { cause });
  });
  if (there.length > 0) throw new GatewayError('bad_request', `${folder} is not empty, and nothing is written over.`);
  const { files } = await readFolder(source, { hidden: false });
  try {
    for (const [path, content] of files) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, new TextDecoder().decode(content).replace(placeholder, name));
    }
    await mkdir(join(folder, 'node_modules'));
    await symlink(packageRoot, join(folder, 'node_modules', 'portcullis'), 'junction');
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? 'unknown reason';
    throw new GatewayError('bad_request', `${folder} cannot be written (${why}).`, { cause });
  }
  return [...files.keys()];
}
