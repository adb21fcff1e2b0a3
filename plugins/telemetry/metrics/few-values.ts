const mostValues = 100;

/** Values of a label that callers choose: the first hundred go by their names, the rest by `other`. */
export class FewValues {
  readonly #known = new Set<string>();

  /** `trusted`: a new value may take a place. Without that nobody fills the places with names that do not exist. */
  of(value: string | undefined, trusted: boolean): string {
    if (value === undefined || value === '') return 'none';
    if (this.#known.has(value)) return value;
    if (!trusted || this.#known.size >= mostValues) return 'other';
    this.#known.add(value);
    return value;
  }
}
