import type { DirectoryKind } from 'portcullis/sdk';

/** Where a directory reads. Rejects with GatewayError `not_ready` when the other side is away; with others when a record is at fault. */
export interface DirectorySource {
  /** One record as plain JSON; `entry` is undefined when there is none. The signal aborts when nobody waits any more. */
  load(kind: DirectoryKind, path: readonly string[], signal: AbortSignal): Promise<{ readonly entry: unknown }>;
  /**
   * What has changed since a cursor that an earlier call gave, and a little before: the same change may be told twice.
   * @param since 0: from here on
   */
  versions(since: number, signal: AbortSignal): Promise<VersionsReply>;
  close(): Promise<void>;
}

export interface OrganisationVersion {
  readonly organisationId: string;
  /** Grows with each change. */
  readonly version: number;
}

export interface VersionsReply {
  readonly versions: readonly OrganisationVersion[];
  /** What the next call gives as `since`. Epoch milliseconds. Much smaller than `since`: the records were put back to an earlier state. */
  readonly cursor: number;
  /** More has changed than is worth listing. */
  readonly all: boolean;
}
