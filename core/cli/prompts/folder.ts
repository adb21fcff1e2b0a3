import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile as readBytes, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from 'portcullis/sdk';
import { type Kind, kinds } from './content.ts';
import { type PromptFile, pathOf, readFile } from './file-form.ts';

const ending = '.yaml';
const slugPattern = /^[a-z0-9][a-z0-9-]{0,99}$/;
/** Beyond what the gateway takes as a prompt, however it is escaped. */
const maxBytes = 16_777_216;

/** Whether the slug can be a file's name everywhere, and nothing but a name. */
export function isSlug(slug: string): boolean {
  return slugPattern.test(slug);
}

/**
 * Reads all files of the folder: partials, then prompts, each by name.
 * @throws GatewayError `invalid_config` with a line for each fault of each file
 */
export async function readFolder(folder: string): Promise<readonly PromptFile[]> {
  const faults: string[] = [];
  const files: PromptFile[] = [];
  for (const kind of kinds) {
    for (const name of await namesIn(folder, kind)) {
      const read = await readNamed(folder, kind, name);
      if ('faults' in read) faults.push(...read.faults);
      else files.push(read);
    }
  }
  if (faults.length > 0) throw new GatewayError('invalid_config', faults.join('\n'));
  return files;
}

async function namesIn(folder: string, kind: Kind): Promise<readonly string[]> {
  await checkFolder(folder, kind);
  const names = await readdir(join(folder, kind)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw unreadable(join(folder, kind), cause);
  });
  return names.filter((name) => !name.startsWith('.') && /\.ya?ml$/i.test(name)).toSorted();
}

async function readNamed(folder: string, kind: Kind, name: string): ReturnType<typeof readIfThere> {
  const slug = name.slice(0, -ending.length);
  if (!name.endsWith(ending) || !isSlug(slug)) {
    const why = `is no name of a ${kind === 'prompts' ? 'prompt' : 'partial'}: lower-case letters, digits and dashes, at most 100, and ${ending}.`;
    return { faults: [`${kind}/${JSON.stringify(name)} ${why}`] };
  }
  return readIfThere(folder, kind, slug);
}

async function readIfThere(
  folder: string,
  kind: Kind,
  slug: string,
): Promise<PromptFile | { readonly faults: readonly string[] }> {
  const path = join(folder, pathOf({ kind, slug }));
  const found = await lstat(path).catch((cause) => {
    throw unreadable(path, cause);
  });
  if (!found.isFile()) return { faults: [`${pathOf({ kind, slug })} is a link, or something else that is no file.`] };
  if (found.size > maxBytes) return { faults: [`${pathOf({ kind, slug })} has more than ${maxBytes} bytes.`] };
  const bytes = await readBytes(path).catch((cause) => {
    throw unreadable(path, cause);
  });
  const text = decoded(bytes);
  return text === undefined ? { faults: [`${pathOf({ kind, slug })} is not UTF-8 text.`] } : readFile(kind, slug, text);
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Writes files into the folder, each at once and whole. Nothing is written through a link, or beside the folder.
 * @throws GatewayError `bad_request` before anything is written, where one could not be
 */
export async function writeFiles(
  folder: string,
  files: readonly { readonly kind: Kind; readonly slug: string; readonly text: string }[],
): Promise<void> {
  for (const kind of kinds) await checkFolder(folder, kind);
  for (const file of files) await checkTarget(folder, file);
  for (const { kind, slug, text } of files) {
    const path = join(folder, pathOf({ kind, slug }));
    const passing = join(folder, kind, `.${slug}.${randomUUID()}`);
    try {
      await mkdir(join(folder, kind), { recursive: true });
      await writeFile(passing, text, { flag: 'wx' });
      await rename(passing, path);
    } catch (cause) {
      await rm(passing, { force: true });
      throw new GatewayError('bad_request', `${path} cannot be written (${codeOf(cause)}).`, { cause });
    }
  }
}

async function checkFolder(folder: string, kind: Kind): Promise<void> {
  const path = join(folder, kind);
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && !found.isDirectory())
    throw new GatewayError('bad_request', `${path} is a link, or something else that is no folder.`);
}

async function checkTarget(
  folder: string,
  { kind, slug }: { readonly kind: Kind; readonly slug: string },
): Promise<void> {
  if (!isSlug(slug)) {
    const text = `The gateway names ${JSON.stringify(slug.slice(0, 100))} as a slug, which can be no file's name.`;
    throw new GatewayError('bad_request', text);
  }
  const path = join(folder, pathOf({ kind, slug }));
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile())
    throw new GatewayError('bad_request', `${path} is a link, or something else that is no file.`);
}

function unreadable(path: string, cause: unknown): GatewayError {
  return new GatewayError('bad_request', `${path} cannot be read (${codeOf(cause)}).`, { cause });
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? 'unknown reason';
}
