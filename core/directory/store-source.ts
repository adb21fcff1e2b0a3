import {
  type Db,
  type DirectoryKind,
  type DirectoryKinds,
  type DirectoryLoader,
  type DirectoryReader,
  GatewayError,
  type Records,
} from 'portcullis/sdk';
import type { Vault } from '../secrets/vault.ts';
import { isUnavailable } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import { notReady } from './outage.ts';
import type { DirectorySource } from './source.ts';
import { readVersions } from './versions.ts';

export type Loaders = { readonly [K in DirectoryKind]?: DirectoryLoader<K> };

export interface StoreSourceParts {
  readonly store: Pick<Store, 'reader'>;
  readonly vault: Pick<Vault, 'unseal' | 'pepper'>;
  /** Those of all plugins; asked at each load, for plugins are set up after the directory. */
  readonly loaders: () => Loaders;
  readonly knows: (resource: string) => boolean;
  readonly records: (db: Db) => (resource: string) => Pick<Records, 'find' | 'list' | 'secrets'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A loader that asks for another, and so on: beyond this they ask each other in a circle. */
const deepest = 8;

/** Reads records through the loaders of the plugins, from the store's reader. Closing it leaves the store open. */
export function createStoreSource({ store, vault, loaders, knows, records, now }: StoreSourceParts): DirectorySource {
  const load = async (kind: DirectoryKind, path: readonly string[], depth: number): Promise<unknown> => {
    if (depth > deepest) throw new GatewayError('internal', `The loader of ${kind} asks for itself.`);
    const loader = loaders()[kind] as DirectoryLoader<DirectoryKind> | undefined;
    return loader?.(readerAt(depth), path);
  };
  const readerAt = (depth: number): DirectoryReader => ({
    db: store.reader,
    now: now(),
    records: records(store.reader) as DirectoryReader['records'],
    knows,
    unseal: vault.unseal,
    pepper: vault.pepper,
    load: <K extends DirectoryKind>(kind: K, ...path: readonly string[]) =>
      load(kind, path, depth + 1) as Promise<DirectoryKinds[K] | undefined>,
  });
  return {
    load: (kind, path) => told(async () => ({ entry: await load(kind, path, 0) })),
    versions: (since) => told(() => readVersions(store.reader, since, now())),
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
