import { createHash } from 'node:crypto';

/** What was made; `part`: something below a thread, a vector store or a conversation. */
export type ObjectKind =
  | 'file'
  | 'batch'
  | 'fine_tuning_job'
  | 'response'
  | 'item'
  | 'reasoning'
  | 'container'
  | 'assistant'
  | 'thread'
  | 'vector_store'
  | 'conversation'
  | 'part';

export interface AffinityKey {
  /** SHA-256 of the object's id, or of its encrypted content: 64 hex digits. */
  readonly idHash: string;
  /** Id of the workspace whose caller had it made, or `fileScope`. */
  readonly scope: string;
}

/** Who made an object: the one target that can answer what follows. */
export interface AffinityRow extends AffinityKey {
  readonly kind: ObjectKind;
  /** As `placeOf` gives it. */
  readonly target: string;
  /** Name of the provider unit. */
  readonly provider: string;
  /** Of the saved provider; absent: none is saved. */
  readonly providerSlug?: string;
  /** Epoch seconds, as the next. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The scope of all callers of the operator's file. No id of a workspace is like it. */
export const fileScope = 'file';

const day = 86_400;

/** Seconds: those that a provider keeps for a month, and objects that stay until somebody deletes them. */
const monthly = 30 * day;
const lasting = 730 * day;

export const keptSeconds: Readonly<Record<ObjectKind, number>> = {
  response: monthly,
  item: monthly,
  reasoning: monthly,
  container: monthly,
  part: monthly,
  file: lasting,
  batch: lasting,
  fine_tuning_job: lasting,
  assistant: lasting,
  thread: lasting,
  vector_store: lasting,
  conversation: lasting,
};

export function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

/** One text for each key. */
export function keyText({ idHash, scope }: AffinityKey): string {
  return `${idHash} ${scope}`;
}
