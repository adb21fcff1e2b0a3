import type { Metrics, Reading } from '../contracts/metrics.ts';

/** What was measured, by the name of the metric and its labels with commas. */
export interface TestMetrics extends Metrics {
  /** Sum of what was counted or observed. */
  total(name: string, ...labels: readonly string[]): number;
  /** What a gauge gives now. */
  readings(name: string): readonly Reading[];
}

export function createTestMetrics(): TestMetrics {
  const totals = new Map<string, number>();
  const gauges = new Map<string, () => readonly Reading[]>();
  const keyOf = (name: string, labels: readonly string[]) => `${name}\0${labels.join(',')}`;
  const add = (name: string, labels: readonly string[], value: number) => {
    const key = keyOf(name, labels);
    totals.set(key, (totals.get(key) ?? 0) + value);
  };
  return {
    counter: (name) => ({ add: (labels, value = 1) => add(name, labels, value) }),
    histogram: (name) => ({ observe: (labels, value) => add(name, labels, value) }),
    gauge: (name, _, __, read) => void gauges.set(name, read),
    total: (name, ...labels) => totals.get(keyOf(name, labels)) ?? 0,
    readings: (name) => gauges.get(name)?.() ?? [],
  };
}
