import { type Counter, GatewayError, type Histogram, type Metrics, type Reading } from 'portcullis/sdk';
import type { Registry } from 'prom-client';
import { exposition, type Family, type Line } from './exposition.ts';
import { boundedReadings, LabelSets } from './label-sets.ts';
import { newRegistry, processMetrics } from './process-metrics.ts';

/** The metrics of one gateway, and what `/metrics` shows of them. */
export interface GatewayMetrics extends Metrics {
  /** The text format of Prometheus 0.0.4; with the figures of the process, which are measured from the first look on. */
  text(): Promise<string>;
  readonly contentType: string;
  /** The same as the library keeps it, for sums over several processes. */
  registries(): readonly Registry[];
}

interface Known {
  readonly family: Family;
  readonly labels: readonly string[];
  readonly buckets: readonly number[];
  /** Undefined: it is a gauge, which is only read. */
  readonly metric: Counter | Histogram | undefined;
}

/** Metrics of a gateway's own: nothing global. Counting in a set of labels that is known makes no garbage. */
export function createMetrics(): GatewayMetrics {
  const known = new Map<string, Known>();
  /** Of the library, for those who want theirs. */
  let registry: Registry | undefined;

  /** @throws GatewayError `internal` for a name that something else has, or that is none */
  const before = (name: string, type: Family['type'], labels: readonly string[], buckets: readonly number[]) => {
    const same = known.get(name);
    if (same === undefined) checkNames(name, labels);
    else if (same.family.type !== type || !isEqual(same.labels, labels) || !isEqual(same.buckets, buckets))
      throw fault(`The metric ${name} is there already, as a ${same.family.type} with other labels or buckets.`);
    return same?.metric;
  };
  const keep = (entry: Known) => {
    known.set(entry.family.name, entry);
    registry?.removeSingleMetric(entry.family.name);
    registry?.registerMetric(libraryMetric(entry.family));
  };

  return {
    counter: (name, help, labels) => {
      const same = before(name, 'counter', labels, []);
      if (same !== undefined) return same as Counter;
      const sets = new LabelSets(labels, () => ({ value: 0 }));
      const lines = () => sets.all.map(({ labels, value: { value } }) => ({ labels, value }));
      const metric: Counter = {
        add: (values, amount = 1) => {
          // What is no amount would spoil the sum for good.
          if (amount >= 0 && amount < Number.POSITIVE_INFINITY) sets.of(values).value += amount;
        },
      };
      keep({ family: { name, help, type: 'counter', lines }, labels, buckets: [], metric });
      return metric;
    },
    histogram: (name, help, labels, buckets) => {
      const same = before(name, 'histogram', labels, buckets);
      if (same !== undefined) return same as Histogram;
      checkBuckets(name, buckets);
      const sets = new LabelSets(labels, () => ({ sum: 0, counts: new Array<number>(buckets.length + 1).fill(0) }));
      const lines = () => sets.all.flatMap(({ labels, value }) => histogramLines(buckets, labels, value));
      const metric: Histogram = {
        observe: (values, value) => {
          if (!Number.isFinite(value)) return;
          const set = sets.of(values);
          let bucket = 0;
          while (bucket < buckets.length && value > (buckets[bucket] ?? 0)) bucket += 1;
          set.sum += value;
          set.counts[bucket] = (set.counts[bucket] ?? 0) + 1;
        },
      };
      keep({ family: { name, help, type: 'histogram', lines }, labels, buckets, metric });
      return metric;
    },
    gauge: (name, help, labels, read) => {
      before(name, 'gauge', labels, []);
      const lines = () => boundedReadings(labels, readSafely(read));
      keep({ family: { name, help, type: 'gauge', lines }, labels, buckets: [], metric: undefined });
    },
    text: async () =>
      `${exposition([...known.values()].map(({ family }) => family))}${await processMetrics().metrics()}`,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    registries: () => {
      registry ??= filled(newRegistry(), [...known.values()]);
      return [registry, processMetrics()];
    },
  };
}

function filled(registry: Registry, known: readonly Known[]): Registry {
  for (const { family } of known) registry.registerMetric(libraryMetric(family));
  return registry;
}

type LibraryMetric = Parameters<Registry['registerMetric']>[0];

/** The library asks no more of a metric than its name and what it gives now. */
function libraryMetric({ name, help, type, lines }: Family): LibraryMetric {
  const shown = { name, help, type, aggregator: 'sum' };
  const get = () => ({
    ...shown,
    values: lines().map(({ labels, value, le, suffix = '' }) => ({
      labels: le === undefined ? labels : { le, ...labels },
      value,
      metricName: `${name}${suffix}`,
    })),
  });
  return { ...shown, get } as unknown as LibraryMetric;
}

function histogramLines(
  buckets: readonly number[],
  labels: Readonly<Record<string, string>>,
  { sum, counts }: { readonly sum: number; readonly counts: readonly number[] },
): readonly Line[] {
  let count = 0;
  const upTo = buckets.map((le, index) => {
    count += counts[index] ?? 0;
    return { labels, le, value: count, suffix: '_bucket' };
  });
  count += counts[buckets.length] ?? 0;
  return [
    ...upTo,
    { labels, le: '+Inf', value: count, suffix: '_bucket' },
    { labels, value: sum, suffix: '_sum' },
    { labels, value: count, suffix: '_count' },
  ];
}

/** A gauge that cannot be read must not take the others with it. */
function readSafely(read: () => readonly Reading[]): readonly Reading[] {
  try {
    return read().filter(({ value }) => Number.isFinite(value));
  } catch {
    return [];
  }
}

const metricName = /^[a-z][a-z0-9_]{0,99}$/;
const labelName = /^[a-zA-Z][a-zA-Z0-9_]{0,99}$/;
const reserved: readonly string[] = ['le', 'quantile'];

function checkNames(name: string, labels: readonly string[]): void {
  if (!metricName.test(name)) throw fault(`"${name.slice(0, 100)}" is no name of a metric: use snake_case.`);
  if (/^(process|nodejs)_/.test(name)) throw fault(`The metric ${name} may not begin like those of the process.`);
  const wrong = labels.find((label) => !labelName.test(label) || reserved.includes(label));
  if (wrong !== undefined) throw fault(`"${wrong.slice(0, 100)}" is no name of a label of the metric ${name}.`);
  if (new Set(labels).size < labels.length) throw fault(`The metric ${name} names a label twice.`);
}

function checkBuckets(name: string, buckets: readonly number[]): void {
  const rising = buckets.every((bound, index) => Number.isFinite(bound) && bound > (buckets[index - 1] ?? -Infinity));
  if (!rising || buckets.length === 0) throw fault(`The buckets of ${name} must be rising numbers, at least one.`);
}

function isEqual(first: readonly (string | number)[], second: readonly (string | number)[]): boolean {
  return first.length === second.length && first.every((value, index) => value === second[index]);
}

function fault(text: string): GatewayError {
  return new GatewayError('internal', text);
}
