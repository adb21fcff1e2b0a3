import type { DirectoryKind } from 'portcullis/sdk';
import type { Slot } from './memory.ts';

type Branch = Map<string, Branch | Slot>;

/** Beyond so many, all are forgotten. */
const mostSlots = 5_000;

/**
 * What has been found of late, part of the path by part. Ids are the same strings again and again, so that their hashes are
 * known; one text of the whole path would have to be put together and hashed for each look-up.
 */
export class Recent {
  #kinds = new Map<DirectoryKind, Branch>();
  #size = 0;

  find(kind: DirectoryKind, path: readonly string[]): Slot | undefined {
    let found: Branch | Slot | undefined = this.#kinds.get(kind);
    for (const part of path) {
      if (!(found instanceof Map)) return undefined;
      found = found.get(part);
    }
    return found instanceof Map ? undefined : found;
  }

  keep(kind: DirectoryKind, path: readonly string[], slot: Slot): void {
    if (this.#size >= mostSlots) this.clear();
    let branch = this.#kinds.get(kind);
    if (branch === undefined) {
      branch = new Map();
      this.#kinds.set(kind, branch);
    }
    const last = path.length - 1;
    for (const [index, part] of path.entries()) {
      if (index === last) {
        branch.set(part, slot);
        this.#size += 1;
        return;
      }
      const next: Branch | Slot | undefined = branch.get(part);
      const below: Branch = next instanceof Map ? next : new Map();
      if (below !== next) branch.set(part, below);
      branch = below;
    }
  }

  clear(): void {
    if (this.#size === 0) return;
    this.#kinds = new Map();
    this.#size = 0;
  }
}
