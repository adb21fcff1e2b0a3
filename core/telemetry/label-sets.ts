import type { Reading } from 'portcullis/sdk';

/** Sets of labels that one metric keeps apart. */
export const mostLabelSets = 1000;
/** Characters of one value: what is longer is cut. */
const longestValue = 200;
/** Stands for all labels of what came after the most. */
export const overflowValue = 'other';

interface Branch<Value> {
  readonly labels: readonly string[];
  branches: Map<string, Branch<Value>> | undefined;
  value: Value | undefined;
}

export interface Labelled<Value> {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: Value;
}

/** One value for each set of labels, found without making anything: a look costs one map a label. */
export class LabelSets<Value> {
  readonly #names: readonly string[];
  readonly #make: () => Value;
  readonly #root: Branch<Value> = { labels: [], branches: undefined, value: undefined };
  #overflow: Value | undefined;
  #size = 0;

  constructor(names: readonly string[], make: () => Value) {
    this.#names = names;
    this.#make = make;
  }

  /** The value of a set. Beyond the most sets it is that of the rest. */
  of(labels: readonly string[]): Value {
    let branch = this.#root;
    for (let index = 0; index < this.#names.length; index += 1) {
      const next = branch.branches?.get(shortened(labels[index]));
      if (next === undefined) return this.#add(labels);
      branch = next;
    }
    return branch.value ?? this.#add(labels);
  }

  get all(): readonly Labelled<Value>[] {
    const found: Labelled<Value>[] = [];
    this.#collect(this.#root, found);
    const rest = this.#overflow;
    const labels = labelsOf(
      this.#names,
      this.#names.map(() => overflowValue),
    );
    return rest === undefined ? found : [...found, { labels, value: rest }];
  }

  #add(labels: readonly string[]): Value {
    if (this.#size >= mostLabelSets) {
      this.#overflow ??= this.#make();
      return this.#overflow;
    }
    this.#size += 1;
    let branch = this.#root;
    for (const index of this.#names.keys()) {
      const label = shortened(labels[index]);
      branch.branches ??= new Map();
      const next = branch.branches.get(label) ?? {
        labels: [...branch.labels, label],
        branches: undefined,
        value: undefined,
      };
      branch.branches.set(label, next);
      branch = next;
    }
    branch.value = this.#make();
    return branch.value;
  }

  #collect(branch: Branch<Value>, found: Labelled<Value>[]): void {
    if (branch.value !== undefined) found.push({ labels: labelsOf(this.#names, branch.labels), value: branch.value });
    for (const next of branch.branches?.values() ?? []) this.#collect(next, found);
  }
}

/** Readings of a gauge: at most as many as a metric keeps, one for each set of labels, the last one given. */
export function boundedReadings(names: readonly string[], readings: readonly Reading[]): readonly Labelled<number>[] {
  const sets = new LabelSets(names, () => ({ value: 0 }));
  for (const { labels, value } of readings) sets.of(labels).value = value;
  return sets.all.map(({ labels, value }) => ({ labels, value: value.value }));
}

function shortened(value = ''): string {
  return value.length > longestValue ? value.slice(0, longestValue) : value;
}

function labelsOf(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}
