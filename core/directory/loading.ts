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

export type Loaders = { readonly [K in DirectoryKind]?: DirectoryLoader<K> };

export interface LoadingParts {
  readonly vault: Pick<Vault, 'unseal' | 'pepper'>;
  /** Those of all plugins; asked at each load, for plugins are set up after the directory. */
  readonly loaders: () => Loaders;
  readonly knows: (resource: string) => boolean;
  readonly records: (db: Db) => (resource: string) => Pick<Records, 'find' | 'list' | 'secrets'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type Load = <K extends DirectoryKind>(
  kind: K,
  path: readonly string[],
) => Promise<DirectoryKinds[K] | undefined>;

/** A loader that asks for another, and so on: beyond this they ask each other in a circle. */
const deepest = 8;

/** Reads records through the loaders of the plugins: from the store's reader, or as a running transaction sees them. */
export function loadingFrom({ vault, loaders, knows, records, now }: LoadingParts): (db: Db) => Load {
  return (db) => {
    const load = async <K extends DirectoryKind>(
      kind: K,
      path: readonly string[],
      depth: number,
    ): Promise<DirectoryKinds[K] | undefined> => {
      if (depth > deepest) throw new GatewayError('internal', `The loader of ${kind} asks for itself.`);
      const loader = loaders()[kind] as DirectoryLoader<K> | undefined;
      return loader?.(readerAt(depth), path);
    };
    const readerAt = (depth: number): DirectoryReader => ({
      db,
      now: now(),
      records: records(db) as DirectoryReader['records'],
      knows,
      unseal: vault.unseal,
      pepper: vault.pepper,
      load: (kind, ...path) => load(kind, path, depth + 1),
    });
    return (kind, path) => load(kind, path, 0);
  };
}
