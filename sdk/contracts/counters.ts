import type { MaybePromise } from './plugin.ts';

/** Room that one request needs under one limit. All numbers are whole: requests, tokens, or billionths of a US dollar. */
export interface Claim {
  /** What is counted: `rate/<policy id>/<value key>/requests/rpm`. At most 500 characters; unique in its organisation. */
  readonly name: string;
  /** Epoch milliseconds at which the window or period began: another start is another count, which begins at 0. */
  readonly start: number;
  /** Epoch milliseconds after which the count may be forgotten. Undefined: never, as for a budget without reset. */
  readonly end: number | undefined;
  readonly limit: number;
  /** What is set aside until the true amount is known. */
  readonly amount: number;
  /** Whether the count outlives the process, in the store. For budgets; windows of minutes are worth nothing after a restart. */
  readonly durable: boolean;
}

/** Room that was set aside. Exactly one of the two must be called, once; calling again does nothing. */
export interface Reservation {
  /** The true amounts, in the order of the claims. Not waited for. */
  commit(actual: readonly number[]): void;
  /** Nothing was used. */
  release(): void;
}

export interface CountState {
  /** Used up for good. */
  readonly used: number;
  /** Set aside by requests in flight, the asking one included when it was let in. */
  readonly reserved: number;
}

export type Reserved =
  | { readonly granted: true; readonly reservation: Reservation; readonly states: readonly CountState[] }
  | {
      readonly granted: false;
      /** The first claim without room; nothing was taken from any. */
      readonly index: number;
      readonly state: CountState;
    };

/**
 * Counts of an organisation, shared by all processes where there is a Redis, else of this process. What was set aside by a
 * process that died comes back when its reservation is too old.
 */
export interface Counters {
  /**
   * Sets room aside under all claims or none, in one step. A claim has room while used + reserved + amount <= limit; one whose
   * amount alone is beyond the limit has room only where nothing is used or reserved.
   * @throws GatewayError `limits_unavailable` when the counts cannot be reached and the operator has chosen to refuse then
   */
  reserve(organisationId: string, claims: readonly Claim[]): MaybePromise<Reserved>;
  /** What has been used, in the order of the names. */
  read(
    organisationId: string,
    counts: readonly Pick<Claim, 'name' | 'start' | 'durable'>[],
  ): Promise<readonly CountState[]>;
  /** Sets what has been used; reservations stay. */
  set(organisationId: string, count: Pick<Claim, 'name' | 'start' | 'end' | 'durable'>, used: number): Promise<void>;
  /**
   * Durable counts whose names begin so, with a start; newest change first. For lists of the control plane. Each is what the
   * store says, or what Redis holds where that is more; one that was never written is not among them.
   */
  list(
    organisationId: string,
    prefix: string,
    start: number | undefined,
    limit: number,
    offset: number,
  ): Promise<{
    readonly total: number;
    readonly counts: readonly {
      readonly name: string;
      readonly start: number;
      readonly used: number;
      readonly changedAt: number;
    }[];
  }>;
  /** Durable counts of all organisations that changed at or after a moment, oldest first: what alerts look at. Figures as above. */
  changedSince(
    at: number,
    limit: number,
  ): Promise<
    readonly {
      readonly organisationId: string;
      readonly name: string;
      readonly start: number;
      readonly used: number;
      readonly changedAt: number;
    }[]
  >;
}
