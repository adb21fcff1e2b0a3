import type { RowResult, Sample } from './measure.ts';
import { quantile } from './quantile.ts';
import type { Scenario } from './traffic.ts';

interface Column {
  readonly title: string;
  /** The scenario without which the column is left out. */
  readonly needs?: Scenario;
  cell(row: RowResult, base: RowResult | undefined): string;
}

const columns: readonly Column[] = [
  { title: 'row', cell: ({ name }) => name },
  { title: 'JSON µs/req', needs: 'json', cell: (row) => pair(row, 'json', 1) },
  { title: '× bare', needs: 'json', cell: (row, base) => ratio(row, base, 'json') },
  { title: 'req/s', needs: 'json', cell: (row) => perSecond(row, 'json') },
  { title: 'p50 ms', needs: 'json', cell: (row) => latency(row, 'json', 'p50Ms') },
  { title: 'p99 ms', needs: 'json', cell: (row) => latency(row, 'json', 'p99Ms') },
  { title: 'saturated µs/chunk', needs: 'saturated', cell: (row) => pair(row, 'saturated', 2) },
  { title: '× pipe', needs: 'saturated', cell: (row, base) => ratio(row, base, 'saturated') },
  { title: 'streams/s', needs: 'saturated', cell: (row) => perSecond(row, 'saturated') },
  { title: '1st byte p50 ms', needs: 'saturated', cell: ({ firstByteP50Ms }) => number(firstByteP50Ms, 2) },
  { title: '5 ms µs/chunk', needs: 'spaced', cell: (row) => pair(row, 'spaced', 1) },
  { title: '× pipe', needs: 'spaced', cell: (row, base) => ratio(row, base, 'spaced') },
  { title: 'max RSS MB', cell: ({ maxRssBytes }) => number(maxRssBytes && maxRssBytes / 1e6, 0) },
  { title: 'failed', cell: (row) => String(failures(row)) },
];

/** The one table, as Markdown. CPU and ratios are `best / median` of the repeats; throughput and latency those of the best. */
export function renderTable(results: readonly RowResult[], baseName: string): string {
  const base = results.find(({ name }) => name === baseName);
  const shown = columns.filter(
    ({ needs }) => needs === undefined || results.some(({ samples }) => samples[needs] !== undefined),
  );
  const lines = [shown.map(({ title }) => title), ...results.map((row) => shown.map(({ cell }) => cell(row, base)))];
  const widths = shown.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const text = (line: readonly string[]) =>
    `| ${line.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => '-'.repeat(width + 1) + (column === 0 ? '-' : ':')).join('|')}|`;
  const [head = [], ...body] = lines;
  return [text(head), rule, ...body.map(text)].join('\n');
}

/** Requests of all scenarios and repeats that were not answered whole. */
export function failures({ samples }: RowResult): number {
  return Object.values(samples)
    .flat()
    .reduce((sum, { failed }) => sum + failed, 0);
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

function cpu(row: RowResult | undefined, scenario: Scenario): { best: number; median: number } | undefined {
  const all = row?.samples[scenario]?.flatMap(({ cpuMicrosPerUnit }) => cpuMicrosPerUnit ?? []) ?? [];
  return all.length === 0 ? undefined : { best: Math.min(...all), median: quantile(all, 0.5) };
}

function pair(row: RowResult, scenario: Scenario, digits: number): string {
  const own = cpu(row, scenario);
  return own === undefined ? '-' : `${own.best.toFixed(digits)} / ${own.median.toFixed(digits)}`;
}

function ratio(row: RowResult, base: RowResult | undefined, scenario: Scenario): string {
  const own = cpu(row, scenario);
  const floor = cpu(base, scenario);
  if (own === undefined || floor === undefined) return '-';
  return `${(own.best / floor.best).toFixed(2)} / ${(own.median / floor.median).toFixed(2)}`;
}

function fastest(row: RowResult, scenario: Scenario): Sample | undefined {
  return row.samples[scenario]?.toSorted((a, b) => b.completed / b.seconds - a.completed / a.seconds)[0];
}

function perSecond(row: RowResult, scenario: Scenario): string {
  const sample = fastest(row, scenario);
  return sample === undefined ? '-' : (sample.completed / sample.seconds).toFixed(0);
}

function latency(row: RowResult, scenario: Scenario, which: 'p50Ms' | 'p99Ms'): string {
  return number(fastest(row, scenario)?.[which], 2);
}

function number(value: number | undefined, digits: number): string {
  return value === undefined ? '-' : value.toFixed(digits);
}
