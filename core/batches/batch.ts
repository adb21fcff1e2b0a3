import type { JsonObject } from 'portcullis/sdk';

/**
 * The words of the documents that `publishedBatches` of the sdk names. An unfinished batch that is cancelled is shown as
 * `cancelling`.
 */
export type BatchStatus = 'validating' | 'in_progress' | 'finalizing' | FinalStatus;
export type FinalStatus = 'completed' | 'failed' | 'expired' | 'cancelled';

/** The two files that a batch writes. */
export type FileKind = 'output' | 'error';
export const fileKinds: readonly FileKind[] = ['output', 'error'];

export interface BatchFault {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /** Of the input file, counted from 1; null: none in particular. */
  readonly line: number | null;
}

/** When something happened, in epoch seconds, by the name that the object has for it. */
export type BatchTimes = Readonly<Partial<Record<'in_progress_at' | 'finalizing_at' | `${FinalStatus}_at`, number>>>;

/** A batch that the gateway runs itself, as it is kept. */
export interface StoredBatch {
  /** `batch_gw_` and 32 hex digits. */
  readonly id: string;
  /** Id of the workspace whose caller has made it, or the one scope of the operator's file. */
  readonly scope: string;
  /** Id of the process that runs it. */
  readonly holder: string;
  readonly status: BatchStatus;
  /** Epoch seconds, as the next two. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly cancellingAt: number | undefined;
  /** Epoch milliseconds: when its process last said that it is there. */
  readonly heartbeatAt: number;
  readonly endpoint: string;
  readonly inputFileId: string;
  readonly metadata: JsonObject | null;
  readonly times: BatchTimes;
  readonly counts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly faults: readonly BatchFault[];
  /** Of its files. */
  readonly bytes: Readonly<Record<FileKind, number>>;
}

const batchPrefix = 'batch_gw_';
const filePrefix = 'file-gw-';
/** Seconds that a batch may run, and that it is kept for. */
export const mostSeconds = 86_400;
export const keptSeconds = 30 * 86_400;

export function isOwnBatch(id: string | undefined): id is string {
  return id?.startsWith(batchPrefix) === true;
}

export function isOwnFile(id: string | undefined): id is string {
  return id?.startsWith(filePrefix) === true;
}

/** @param newId a UUID */
export function batchIdOf(newId: string): string {
  return batchPrefix + newId.replaceAll('-', '');
}

export function fileIdOf(batchId: string, kind: FileKind): string {
  return `${filePrefix}${kind}-${batchId.slice(batchPrefix.length)}`;
}

/** Whose file it is, and which; undefined: no id of such a file. */
export function fileNamed(id: string): { readonly batchId: string; readonly kind: FileKind } | undefined {
  for (const kind of fileKinds) {
    const prefix = `${filePrefix}${kind}-`;
    if (id.startsWith(prefix)) return { batchId: batchPrefix + id.slice(prefix.length), kind };
  }
  return undefined;
}

const final: ReadonlySet<BatchStatus> = new Set(['completed', 'failed', 'expired', 'cancelled']);

export function isFinal({ status }: Pick<StoredBatch, 'status'>): boolean {
  return final.has(status);
}

/** Whether there is such a file to be read: what is being written is not shown. */
export function hasFile(batch: StoredBatch, kind: FileKind): boolean {
  return isFinal(batch) && batch.bytes[kind] > 0;
}

/** As clients see it. */
export function batchObject(batch: StoredBatch): JsonObject {
  const { id, times, counts, faults, cancellingAt } = batch;
  const file = (kind: FileKind) => (hasFile(batch, kind) ? fileIdOf(id, kind) : null);
  return {
    id,
    object: 'batch',
    endpoint: batch.endpoint,
    errors: faults.length === 0 ? null : { object: 'list', data: faults.map((fault) => ({ ...fault })) },
    input_file_id: batch.inputFileId,
    completion_window: 'immediate',
    status: cancellingAt !== undefined && !isFinal(batch) ? 'cancelling' : batch.status,
    output_file_id: file('output'),
    error_file_id: file('error'),
    created_at: batch.createdAt,
    in_progress_at: times.in_progress_at ?? null,
    expires_at: batch.expiresAt,
    finalizing_at: times.finalizing_at ?? null,
    completed_at: times.completed_at ?? null,
    failed_at: times.failed_at ?? null,
    expired_at: times.expired_at ?? null,
    cancelling_at: cancellingAt ?? null,
    cancelled_at: times.cancelled_at ?? null,
    request_counts: { ...counts },
    metadata: batch.metadata,
  };
}

/** As clients see it; times in epoch seconds. */
export function fileObject(batch: StoredBatch, kind: FileKind): JsonObject {
  const { completed_at, failed_at, expired_at, cancelled_at } = batch.times;
  return {
    id: fileIdOf(batch.id, kind),
    object: 'file',
    bytes: batch.bytes[kind],
    created_at: completed_at ?? failed_at ?? expired_at ?? cancelled_at ?? batch.createdAt,
    expires_at: batch.createdAt + keptSeconds,
    filename: `${batch.id}_${kind}.jsonl`,
    purpose: 'batch_output',
    status: 'processed',
  };
}
