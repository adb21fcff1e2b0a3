import { createHash } from 'node:crypto';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

// Editors write a file in several steps.
const quietMs = 100;

/**
 * Calls `onChange` when the file's content has changed. It watches the folder, not the file, and compares content: so it
 * outlives editors that put a new file in the old one's place, and the symlink swaps by which Kubernetes renews mounted
 * files. While the file is absent nothing is called.
 * @param onError the folder cannot be watched any longer
 * @throws Error of the file system when the folder does not exist
 */
export function watchOperatorFile(
  path: string,
  onChange: () => void,
  onError: (error: Error) => void = () => undefined,
): { close(): void } {
  const file = resolve(path);
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let seen = fingerprint(file);

  const compare = () => {
    seen = Promise.all([seen, fingerprint(file)]).then(([before, now]) => {
      if (now === undefined || now === before) return before;
      if (!closed) onChange();
      return now;
    });
  };
  const watcher = watch(dirname(file), { persistent: false }, () => {
    clearTimeout(timer);
    timer = setTimeout(compare, quietMs).unref();
  });
  watcher.on('error', onError);
  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
      watcher.close();
    },
  };
}

async function fingerprint(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex');
}
