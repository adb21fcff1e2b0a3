const mostKept = 20_000;

/**
 * The keys of counts in the memory of a process, each made once: a text that was just put together has to be hashed, and
 * compared by its characters, with every look into a map.
 */
export class CountKeys {
  readonly #kept = new Map<string, Map<string, string>>();
  #count = 0;

  /** @param name unique in the organisation */
  of(organisationId: string, name: string): string {
    const known = this.#kept.get(organisationId)?.get(name);
    return known ?? this.#keep(organisationId, name, `${organisationId} ${name}`);
  }

  /** A flood of names begins anew. */
  #keep(organisationId: string, name: string, key: string): string {
    if (this.#count >= mostKept) {
      this.#kept.clear();
      this.#count = 0;
    }
    const names = this.#kept.get(organisationId) ?? new Map<string, string>();
    this.#kept.set(organisationId, names.set(name, key));
    this.#count += 1;
    return key;
  }
}
