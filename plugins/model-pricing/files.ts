import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface CatalogueFile {
  /** Such as `openai.json`. */
  readonly name: string;
  readonly text: string;
}

/** The files of a catalogue, by name. */
export async function catalogueFiles(folder: string): Promise<readonly CatalogueFile[]> {
  const found = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(found.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })));
}

/** What the signature is over: the SHA-256 of each file. */
export function digestsOf(files: readonly CatalogueFile[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ name, text }) => [name, hash('sha256', text)]));
}
