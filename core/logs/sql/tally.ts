import type { IndexedRow } from '../row-line.ts';
import { HourGroups, type RollupGroup } from './rollup-groups.ts';
import { type Rollup, rollups } from './rollups.ts';

/** Where each request has values of its own, reading them again costs less than keeping them. */
const mostGroupsDefault = 50_000;

/**
 * The groups of the rows that this process has written and that no rollup has yet, so that nobody has to read them again.
 * Whether there are others, of a process before or beside this one, or fewer, the database tells.
 */
export class Tally {
  /** The last row that is not in it, before those that are; undefined: not known. */
  readonly after: number | undefined;
  #hours = Object.values<Rollup>(rollups).map((rollup) => ({ rollup, hours: new HourGroups(rollup) }));
  #count = 0;
  #isGivenUp = false;
  readonly #mostGroups: number;

  constructor(after?: number, mostGroups = mostGroupsDefault) {
    this.after = after;
    this.#mostGroups = mostGroups;
  }

  /** Its rows; undefined: it has given up. */
  get count(): number | undefined {
    return this.#isGivenUp ? undefined : this.#count;
  }

  /** Adds rows whose transaction is done. */
  add(rows: readonly IndexedRow[]): void {
    if (this.after === undefined || this.#isGivenUp) return;
    this.#count += rows.length;
    let size = 0;
    for (const { hours } of this.#hours) {
      hours.add(rows);
      size += hours.size;
    }
    if (size <= this.#mostGroups) return;
    this.#isGivenUp = true;
    this.#hours = [];
  }

  /** By rollup. */
  groups(): readonly (readonly [Rollup, readonly RollupGroup[]])[] {
    return this.#hours.map(({ rollup, hours }) => [rollup, hours.groups]);
  }
}
