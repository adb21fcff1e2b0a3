import { after } from 'node:test';
import { createDirectory, type DirectoryOptions, type LiveDirectory } from '../../../core/directory/directory.ts';
import type { DirectorySource } from '../../../core/directory/source.ts';
import { type LoggedEvent, recordingLog } from '../../support/recording-log.ts';
import { type FakeSource, fakeSource } from './fake-source.ts';

const opened: LiveDirectory[] = [];
after(() => Promise.all(opened.map((directory) => directory.close())));

export interface Opened {
  readonly directory: LiveDirectory;
  readonly logged: readonly LoggedEvent[];
}

/** A directory that polls only when it is told to; it has asked once when this resolves. Closed after the tests. */
export async function openDirectory(source: DirectorySource, options: Partial<DirectoryOptions> = {}): Promise<Opened> {
  const { log, logged } = recordingLog();
  const directory = createDirectory(source, { log, now: () => 0, pollMs: 1_000_000, ...options });
  opened.push(directory);
  await directory.refresh();
  return { directory, logged };
}

export async function openFake(
  options: Partial<DirectoryOptions> = {},
): Promise<Opened & { readonly source: FakeSource }> {
  const source = fakeSource();
  return { source, ...(await openDirectory(source, options)) };
}

/** Waits for what another part of the process does in its own time. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export function refusalOf(work: () => unknown): Promise<{ code?: string; status?: number; headers?: object }> {
  return Promise.resolve()
    .then(work)
    .then(
      () => {
        throw new Error('nothing was refused');
      },
      (error) => error,
    );
}

export const workspace = (organisationId: string, changes: object = {}) => ({
  organisationId,
  id: 'ws-1',
  slug: 'main',
  name: 'Main',
  status: 'active',
  security: { deep: { deeper: true } },
  blockInlineConfig: false,
  defaults: {},
  ...changes,
});
