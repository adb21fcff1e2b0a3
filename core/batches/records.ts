import type { FileKind, StoredBatch } from './batch.ts';

/** A part of a file that a batch writes. */
export interface FilePiece {
  readonly kind: FileKind;
  /** Counted from 0 in each file. */
  readonly number: number;
  readonly text: string;
}

export interface BatchPage {
  readonly batches: readonly StoredBatch[];
  readonly more: boolean;
}

/** Where batches are kept. Rejects when it cannot be asked. */
export interface BatchRecords {
  insert(batch: StoredBatch): Promise<void>;
  find(id: string): Promise<StoredBatch | undefined>;
  /** The newest first; `after`: those made before that one. */
  list(scope: string, limit: number, after: StoredBatch | undefined): Promise<BatchPage>;
  /**
   * Writes how far a batch is, and what its files have grown by, for as long as its holder holds it; may be repeated.
   * @returns the batch as it is kept now; undefined: it is finished, or gone, and the holder has lost it
   */
  save(batch: StoredBatch, pieces: readonly FilePiece[]): Promise<StoredBatch | undefined>;
  /** Asks whoever runs the batch to end it. Nothing for one that is finished. @param at epoch seconds */
  cancel(id: string, at: number): Promise<void>;
  /** Takes a batch from a holder whose last heartbeat is that of `batch`, which is final. */
  takeOver(batch: StoredBatch): Promise<void>;
  content(id: string, kind: FileKind): AsyncIterable<Uint8Array>;
  removeFile(id: string, kind: FileKind): Promise<void>;
}
