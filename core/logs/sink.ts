import type { FeedbackRow, LogEntry } from 'portcullis/sdk';

export interface LogBatch {
  readonly entries: readonly LogEntry[];
  readonly feedback: readonly FeedbackRow[];
}

/** What a sink could not take for a reason of their own; they would fail again. */
export interface Refused {
  readonly count: number;
  readonly reason?: string;
}

/** One place where logs go. */
export interface LogSink {
  readonly name: string;
  /**
   * Keeps a batch, as a whole or not at all but for what it refuses. Writing the same batch again is harmless.
   * @throws when nothing can be kept now, and another try may succeed
   */
  write(batch: LogBatch): Promise<Refused>;
  close(): Promise<void>;
}

export interface SinkState {
  readonly sink: string;
  readonly queued: number;
  readonly written: number;
  readonly dropped: number;
  readonly breaker: 'closed' | 'probing' | 'open';
}
