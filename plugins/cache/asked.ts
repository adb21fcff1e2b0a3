import type { CacheStatus, TargetContext } from 'portcullis/sdk';
import type { Meaning } from './semantic/meanings.ts';

/** What a lookup without a hit leaves for the reply. */
export interface Asked {
  readonly target: TargetContext;
  readonly status: CacheStatus;
  /** Undefined: the reply is not kept. */
  readonly keeping: Keeping | undefined;
}

/** Under what a reply is kept, and for how long. */
export interface Keeping {
  readonly key: string;
  readonly ttlMs: number;
  /** Where it can be found by its meaning too. */
  readonly meaning: Meaning | undefined;
}
