/** A count that only grows. */
export interface Counter {
  /** Values of the labels, in the order of their names. */
  add(labels: readonly string[], value?: number): void;
}

/** Values sorted into buckets. */
export interface Histogram {
  observe(labels: readonly string[], value: number): void;
}

export interface Reading {
  readonly labels: readonly string[];
  readonly value: number;
}

/**
 * What `/metrics` shows. Names in snake_case with the unit at the end; each label has few values: beyond 1,000 sets of
 * labels in one metric the rest is counted under `other`. The same name gives the same metric.
 */
export interface Metrics {
  counter(name: string, help: string, labels: readonly string[]): Counter;
  histogram(name: string, help: string, labels: readonly string[], buckets: readonly number[]): Histogram;
  /** Read when somebody looks. A later gauge of the same name takes its place. */
  gauge(name: string, help: string, labels: readonly string[], read: () => readonly Reading[]): void;
}
