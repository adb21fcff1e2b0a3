import { isUnavailable } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import { type LoadingParts, loadingFrom } from './loading.ts';
import { notReady } from './outage.ts';
import type { DirectorySource } from './source.ts';
import { readVersions } from './versions.ts';

export interface StoreSourceParts extends LoadingParts {
  readonly store: Pick<Store, 'reader'>;
}

/** Reads records through the loaders of the plugins, from the store's reader. Closing it leaves the store open. */
export function createStoreSource({ store, ...parts }: StoreSourceParts): DirectorySource {
  const load = loadingFrom(parts)(store.reader);
  return {
    load: (kind, path) => told(async () => ({ entry: await load(kind, path) })),
    versions: (since) => told(() => readVersions(store.reader, since, parts.now())),
    close: async () => {},
  };
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUnavailable(error)) throw notReady('The database cannot be asked at the moment.', 1, error);
    throw error;
  }
}
