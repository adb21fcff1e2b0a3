import { GatewayError } from 'portcullis/sdk';
import { type FileKind, isFinal, keptSeconds, type StoredBatch } from './batch.ts';
import type { BatchRecords, FilePiece } from './records.ts';

interface Kept {
  batch: StoredBatch;
  readonly files: Record<FileKind, (Buffer | undefined)[]>;
}

export interface MemoryBounds {
  /** Of them all; beyond it the oldest that are finished are forgotten. */
  readonly mostBatches: number;
  readonly mostBytes: number;
}

const standard: MemoryBounds = { mostBatches: 200, mostBytes: 256 * 1024 * 1024 };

/** Batches in this process alone, as many as find room. @param now epoch milliseconds */
export function memoryBatchRecords(now: () => number, bounds: MemoryBounds = standard): BatchRecords {
  const kept = new Map<string, Kept>();
  let bytes = 0;
  const forget = (id: string): void => {
    const { files } = kept.get(id) ?? { files: { output: [], error: [] } };
    for (const piece of [...files.output, ...files.error]) bytes -= piece?.length ?? 0;
    kept.delete(id);
  };
  const makeRoom = (): void => {
    const oldest = now() / 1000 - keptSeconds;
    for (const { batch } of [...kept.values()]) {
      const full = kept.size > bounds.mostBatches || bytes > bounds.mostBytes;
      if (isFinal(batch) && (full || batch.createdAt < oldest)) forget(batch.id);
    }
  };
  const put = ({ files }: Kept, { kind, number, text }: FilePiece): void => {
    bytes -= files[kind][number]?.length ?? 0;
    const piece = Buffer.from(text);
    files[kind][number] = piece;
    bytes += piece.length;
  };
  return {
    insert: async (batch) => {
      kept.set(batch.id, { batch, files: { output: [], error: [] } });
      makeRoom();
    },
    find: async (id) => kept.get(id)?.batch,
    list: async (scope, limit, after) => {
      const own = [...kept.values()].map(({ batch }) => batch).filter((batch) => batch.scope === scope);
      const newest = own.toReversed();
      const start = after === undefined ? 0 : newest.findIndex(({ id }) => id === after.id) + 1;
      return { batches: newest.slice(start, start + limit), more: newest.length > start + limit };
    },
    save: async (batch, pieces) => {
      const known = kept.get(batch.id);
      if (known === undefined || isFinal(known.batch)) return undefined;
      for (const piece of pieces) put(known, piece);
      known.batch = { ...batch, cancellingAt: known.batch.cancellingAt };
      makeRoom();
      if (bytes <= bounds.mostBytes) return known.batch;
      for (const { kind, number } of pieces) put(known, { kind, number, text: '' });
      throw new GatewayError(
        'payload_too_large',
        'The files of batches have no room left in the memory of the gateway.',
      );
    },
    cancel: async (id, at) => {
      const known = kept.get(id);
      if (known === undefined || isFinal(known.batch)) return;
      known.batch = { ...known.batch, cancellingAt: known.batch.cancellingAt ?? at };
    },
    takeOver: async () => {},
    async *content(id, kind) {
      for (const piece of kept.get(id)?.files[kind] ?? []) if (piece !== undefined) yield piece;
    },
    removeFile: async (id, kind) => {
      const known = kept.get(id);
      if (known === undefined) return;
      for (const piece of known.files[kind].splice(0)) bytes -= piece?.length ?? 0;
      known.batch = { ...known.batch, bytes: { ...known.batch.bytes, [kind]: 0 } };
    },
  };
}
