import { type Counters, mostCounted } from 'portcullis/sdk';

/** Names one count. */
export interface CountKey {
  readonly organisationId: string;
  /** At most 500 characters. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly start: number;
}

/** A count of an organisation as a list of the source has it. */
export type StoredCount = Pick<CountKey, 'name' | 'start'> & { readonly used: number };

/** What one process has counted since its last batch. */
export interface UsageBatch {
  /** The process, by an id that no other has: at most 36 characters. */
  readonly writer: string;
  /** Grows by one with each batch of the process. */
  readonly number: number;
  /** At most one for each count. Amounts are whole and above 0. */
  readonly deltas: readonly (CountKey & { readonly amount: number })[];
}

/**
 * Where durable counts are kept. Rejects with GatewayError `not_ready` when it cannot be asked; with another error when
 * what was asked is at fault.
 */
export interface CounterSource {
  /** What has been used, in the order of the counts; 0 where nothing is known. */
  load(counts: readonly CountKey[]): Promise<readonly number[]>;
  /** Adds all or nothing. A batch that was added already, or one older than that, changes nothing: it may be repeated. */
  add(batch: UsageBatch): Promise<void>;
  set(count: CountKey, used: number): Promise<void>;
  /** As `Counters.list`. */
  readonly list: Counters['list'];
  /** As `Counters.changedSince`. */
  readonly changedSince: Counters['changedSince'];
}

/** No amount goes beyond this one. */
export const mostUsed = mostCounted;

/** A whole amount of 0 or more; what is no number is 0. */
export function wholeAmount(value: number | undefined): number {
  return value !== undefined && value > 0 ? Math.min(Math.round(value), mostUsed) : 0;
}

/** One text for each count. An organisation's id has no spaces. */
export function keyText({ organisationId, name, start }: CountKey): string {
  return `${organisationId} ${start} ${name}`;
}
