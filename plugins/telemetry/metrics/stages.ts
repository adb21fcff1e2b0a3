import type { Histogram, Metrics, Timings } from 'portcullis/sdk';

/** The label of each stage, made once. */
const stages: readonly (readonly [keyof Timings, readonly string[]])[] = [
  ['parse', ['parse']],
  ['prepare', ['prepare']],
  ['guardrailsBefore', ['guardrails_before']],
  ['cache', ['cache']],
  ['upstream', ['upstream']],
  ['guardrailsAfter', ['guardrails_after']],
  ['firstByte', ['first_byte']],
];
const none: readonly string[] = [];

/** Where the time goes; stages that a request did not pass are not counted as short ones. */
export function stageMetrics(metrics: Metrics, buckets: readonly number[]): (timings: Timings) => void {
  const stage: Histogram = metrics.histogram(
    'portcullis_stage_duration_seconds',
    'Time that requests spend in a stage; first_byte is from the start to the first byte that left',
    ['stage'],
    buckets,
  );
  const overhead = metrics.histogram(
    'portcullis_overhead_seconds',
    'Time to the first byte without the wait for providers: what the gateway adds, checks included',
    none,
    buckets,
  );
  return (timings) => {
    for (const [name, labels] of stages) {
      const ms = timings[name];
      if (ms !== undefined && ms > 0) stage.observe(labels, ms / 1000);
    }
    if (timings.firstByte !== undefined)
      overhead.observe(none, Math.max(0, timings.firstByte - timings.upstream) / 1000);
  };
}
