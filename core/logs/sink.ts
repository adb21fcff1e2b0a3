import type { PackedBatch } from './packed-batch.ts';

/** What a sink could not take for a reason of their own; they would fail again. */
export interface Refused {
  readonly count: number;
  readonly reason?: string;
}

/** One place where logs go. */
export interface LogSink {
  readonly name: string;
  /** Whether it keeps bodies; else it is told which requests have any. */
  readonly withBodies: boolean;
  /**
   * Keeps a batch, as a whole or not at all but for what it refuses. Writing the same batch again is harmless.
   * @throws when nothing can be kept now, and another try may succeed
   */
  write(batch: PackedBatch): Promise<Refused>;
  close(): Promise<void>;
}

export interface SinkState {
  readonly sink: string;
  readonly queued: number;
  readonly written: number;
  readonly dropped: number;
  readonly breaker: 'closed' | 'probing' | 'open';
}
