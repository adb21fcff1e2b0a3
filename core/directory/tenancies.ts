/** When something of an organisation last changed, on the clock of `Tenancies`. */
export interface Tenancy {
  readonly organisationId: string | undefined;
  changedAt: number;
  /** How many remembered records depend on it. */
  uses: number;
}

/**
 * What has changed when, in counted changes instead of time: a record is fresh while nothing of its organisation has
 * changed since the load of it began. Holds only organisations of which something is remembered.
 */
export class Tenancies {
  readonly #states = new Map<string, Tenancy>();
  #clock = 0;
  /** Of what any change makes stale. */
  readonly any: Tenancy = { organisationId: undefined, changedAt: 0, uses: 0 };

  get clock(): number {
    return this.#clock;
  }

  get size(): number {
    return this.#states.size;
  }

  of(organisationId: string): Tenancy {
    const known = this.#states.get(organisationId);
    if (known !== undefined) return known;
    // Nothing was noted of it so far: it may have changed as late as now.
    const state: Tenancy = { organisationId, changedAt: this.#clock, uses: 0 };
    this.#states.set(organisationId, state);
    return state;
  }

  hold(tenancy: Tenancy): void {
    tenancy.uses += 1;
  }

  release(tenancy: Tenancy): void {
    tenancy.uses -= 1;
    if (tenancy.uses === 0 && tenancy.organisationId !== undefined) this.#states.delete(tenancy.organisationId);
  }

  changed(organisationId: string): void {
    this.#clock += 1;
    this.any.changedAt = this.#clock;
    const state = this.#states.get(organisationId);
    if (state !== undefined) state.changedAt = this.#clock;
  }

  allChanged(): void {
    this.#clock += 1;
    this.any.changedAt = this.#clock;
    for (const state of this.#states.values()) state.changedAt = this.#clock;
  }
}
