import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { runCommand } from '../../../core/cli/command.ts';
import { emptyFolder } from '../packages/plugin-files.ts';

export interface Outcome {
  readonly code: number;
  readonly printed: string;
  readonly complained: string;
}

/** What `portcullis prompts ...` prints, says and gives back. The key is in the environment while it runs. */
export async function prompts(key: string, ...argv: readonly string[]): Promise<Outcome> {
  const printed: string[] = [];
  const complained: string[] = [];
  const out = { print: (text: string) => printed.push(text), complain: (text: string) => complained.push(text) };
  const name = `PROMPTS_TEST_KEY_${keys++}`;
  process.env[name] = key;
  try {
    const code = await runCommand(['prompts', ...argv, '--key-env', name], out);
    return { code, printed: printed.join('\n'), complained: complained.join('\n') };
  } finally {
    delete process.env[name];
  }
}

let keys = 0;

export interface Folder {
  readonly path: string;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** Replaces a part of a file, which must be there. */
  change(file: string, before: string, after: string): Promise<void>;
  /** Every file with its text. */
  all(): Promise<Readonly<Record<string, string>>>;
}

export async function promptFolder(t: Pick<TestContext, 'after'>): Promise<Folder> {
  const path = await emptyFolder(t);
  const read = (file: string) => readFile(join(path, file), 'utf8');
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  };
  return {
    path,
    read,
    write,
    change: async (file, before, after) => {
      const text = await read(file);
      assert.ok(text.includes(before), `${file} holds ${before}`);
      await write(
        file,
        text.replace(before, () => after),
      );
    },
    all: async () => {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const texts = files.toSorted().map(async (file) => [file.slice(path.length + 1), await readFile(file, 'utf8')]);
      return Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
    },
  };
}
