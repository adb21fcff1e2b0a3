import type { LogBodies, LogEntry, LogFilter, LogRow, LogStore } from 'portcullis/sdk';
import type { PackedBatch } from './packed-batch.ts';
import type { Refused } from './sink.ts';

/** How the bodies of a request are kept: beside its row, or as an object whose path has one of two forms. */
export type BodyFormat = 'row' | 'v1' | 'v2';

/** Bodies that are kept as objects. */
export interface ObjectReader {
  get(row: LogRow, format: 'v1' | 'v2'): Promise<LogBodies | undefined>;
  close(): Promise<void>;
}

/** A database of logs. */
export interface LogEngine extends Omit<LogStore, 'retention'> {
  /** @throws when the database cannot be asked; what it refuses of a batch is counted */
  write(batch: PackedBatch): Promise<Refused>;
  close(): Promise<void>;
}

export interface EngineOptions {
  /** How bodies that come are kept. */
  readonly bodies: BodyFormat;
  /** Where bodies are that are not beside their rows. */
  readonly objects?: ObjectReader;
  /** Rows that wait for their rollups in the embedded database, about. Default: 20,000. */
  readonly settleRows?: number;
}

export type Page = Parameters<LogStore['list']>[1];
export type Listed = { readonly total: number; readonly entries: readonly LogEntry[] };
export type FeedbackGroups = Awaited<ReturnType<LogStore['feedbackBy']>>;
export type Aggregated = Awaited<ReturnType<LogStore['aggregate']>>;
export type { LogFilter };

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
/** Rows that one transaction deletes. */
export const pruneRows = 5000;
