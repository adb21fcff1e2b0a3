/** What a directory may take and how patient it is. Durations are milliseconds. */
export interface DirectoryBounds {
  /** Records that are remembered; the one unused for longest is forgotten first. */
  readonly maxEntries: number;
  /** Of the JSON text of all records together, in characters; a larger record is never remembered. */
  readonly maxBytes: number;
  /** Paths without a record that are remembered, apart from the records. */
  readonly maxMisses: number;
  /** Loads that run at a time. */
  readonly maxLoads: number;
  /** Loads that wait for one of these; any more are turned away with `not_ready`. */
  readonly maxWaiting: number;
  /** Longest wait for one load, the wait for its turn included. */
  readonly loadMs: number;
  /** Between two questions about what has changed, give or take a tenth. */
  readonly pollMs: number;
  /** After this time a record is loaded anew, behind the back of who asks, although nobody has told of a change. */
  readonly maxAgeMs: number;
  /** Until a record whose reload failed is tried again; doubles with each failure, up to four times as long. */
  readonly retryMs: number;
}

export const standardBounds: DirectoryBounds = {
  maxEntries: 20_000,
  maxBytes: 64 * 1024 * 1024,
  maxMisses: 20_000,
  maxLoads: 32,
  maxWaiting: 5_000,
  loadMs: 2_000,
  pollMs: 2_000,
  maxAgeMs: 600_000,
  retryMs: 1_000,
};
