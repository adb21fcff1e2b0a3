import type { LogRetention } from 'portcullis/sdk';
import type { StoreOptions } from '../store/options.ts';
import type { BreakerSettings } from './breaker.ts';
import type { QueueSettings } from './sink-queue.ts';

/** A database of logs and how to reach it. */
export type RowsSettings =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'mysql'; readonly store: StoreOptions & { readonly kind: 'mysql' } }
  | ClickHouseSettings;

export interface ClickHouseSettings {
  readonly kind: 'clickhouse';
  /** With scheme and port: `https://analytics.example.com:8443`. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** After so many days the database drops what is older by itself. */
  readonly retention: LogRetention;
}

/** An object store that speaks the protocol of S3, for bodies. */
export interface ObjectSettings {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
  readonly bucket: string;
  /** Before every path; '' or without slashes at its ends. */
  readonly basePath: string;
  /** Absent: the store of the region. The bucket stands in the path where there is one. */
  readonly endpoint?: string;
  /** v1: flat; v2: by hour. Objects that were written in the other form stay readable. */
  readonly pathFormat: 'v1' | 'v2';
}

export interface LogsSettings {
  readonly rows: RowsSettings;
  /** Absent: bodies stand beside their rows. */
  readonly objects?: ObjectSettings;
  /** Of each body; what is longer is cut. */
  readonly maxBodyBytes: number;
  readonly breaker: BreakerSettings & {
    /** Longest wait for one write. */
    readonly timeoutMs: number;
  };
  readonly retention: LogRetention;
  /** Bounds of each queue. Default: 50,000 entries, 64 MiB, batches of 500 entries (1,000 to ClickHouse), 8 MiB or one second. */
  readonly queue?: Partial<QueueSettings>;
}
