import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

const kept = new Set<string>();

process.on('exit', () => {
  for (const path of kept) remove(path);
});

/** A folder that is gone when this process ends, also when it is interrupted. */
export function temporaryFolder(name: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `bench-${name}-`));
  kept.add(path);
  return { path, remove: () => remove(path) };
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  kept.delete(path);
}
