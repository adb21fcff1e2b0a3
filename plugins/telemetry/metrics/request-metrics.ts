import type { Attempt, Cost, Counter, Metrics, RequestRecord, Usage } from 'portcullis/sdk';
import { FewValues } from './few-values.ts';
import { guardrailMetrics } from './guardrail-metrics.ts';
import type { OwnerLabels } from './owner-labels.ts';
import type { MetricSettings } from './settings.ts';
import { stageMetrics } from './stages.ts';

const nanoUsd = 1e9;
const absent = 'none';

/**
 * Counts finished requests. Labels that callers choose have few values; those that the operator adds are on the counters
 * alone, because a histogram has a line for each bucket.
 */
export function requestMetrics(
  metrics: Metrics,
  settings: MetricSettings,
  owners: OwnerLabels,
): (record: RequestRecord) => void {
  const spender = ['provider', ...(settings.model ? ['model'] : []), ...owners.names];
  const counter = (name: string, help: string, labels: readonly string[]): Counter =>
    metrics.counter(`portcullis_${name}`, help, labels);
  const requests = counter('requests_total', 'Requests that have ended', ['endpoint', 'status', 'cache', ...spender]);
  const duration = metrics.histogram(
    'portcullis_request_duration_seconds',
    'Time from the start of a request to its end',
    ['endpoint', 'provider', 'status', 'stream'],
    settings.durationBuckets,
  );
  const errors = counter('request_errors_total', 'Requests that ended in an error, by its code', ['code']);
  const tokens = counter('tokens_total', 'Tokens that were used', ['kind', ...spender]);
  const cost = counter('cost_usd_total', 'US dollars that requests have cost, where a price is known', spender);
  const saved = counter('cache_savings_usd_total', 'US dollars that replies out of the cache would have cost', spender);
  const unpriced = counter('unpriced_requests_total', 'Requests for which no price is known', ['provider', 'model']);
  const attempts = counter('attempts_total', 'Calls of providers', ['provider', 'status']);
  const retried = counter('retried_requests_total', 'Requests with retries, by how they ended', ['provider', 'ending']);
  const fallbacks = counter('fallbacks_total', 'Requests served by another target than the first', ['provider']);
  const stages = stageMetrics(metrics, settings.stageBuckets);
  const guardrails = guardrailMetrics(metrics);
  const models = new FewValues();

  return (record) => {
    const { endpoint = absent, provider = absent, status, usage } = record;
    const model = models.of(record.model, status < 400);
    const spentBy = [provider, ...(settings.model ? [model] : []), ...owners.values(record)];
    requests.add([endpoint, statusText(status), record.cache ?? absent, ...spentBy]);
    duration.observe(
      [endpoint, provider, statusClass(status), record.stream ? 'true' : 'false'],
      record.durationMs / 1000,
    );
    if (record.error !== undefined) errors.add([record.error]);
    if (record.timings !== undefined) stages(record.timings);
    if (usage !== undefined) countTokens(tokens, usage, spentBy);
    countCost(record.cost, spentBy);
    if (record.savedNanoUsd !== undefined) saved.add(spentBy, record.savedNanoUsd / nanoUsd);
    if (record.cost === undefined && record.provider !== undefined && status < 400) unpriced.add([provider, model]);
    for (const attempt of record.attempts ?? []) countAttempt(attempt);
    if (record.retries !== 0) retried.add([provider, record.retries < 0 ? 'exhausted' : 'served']);
    if (record.fallback === true) fallbacks.add([provider]);
    if (record.guardrails !== undefined) guardrails(record.guardrails);
  };

  function countCost(given: Cost | undefined, spentBy: readonly string[]): void {
    if (given !== undefined && given.nanoUsd > 0) cost.add(spentBy, given.nanoUsd / nanoUsd);
  }

  function countAttempt({ provider = absent, status }: Attempt): void {
    attempts.add([provider, statusText(status)]);
  }
}

const kinds = [
  ['input', 'input'],
  ['output', 'output'],
  ['cacheRead', 'cache_read'],
  ['cacheWrite', 'cache_write'],
  ['reasoning', 'reasoning'],
] as const;

function countTokens(tokens: Counter, usage: Usage, spentBy: readonly string[]): void {
  for (const [field, kind] of kinds) {
    const amount = usage[field];
    if (amount !== undefined && amount > 0) tokens.add([kind, ...spentBy], amount);
  }
}

const statusTexts = new Map<number, string>();

/** A provider may answer with any number; what is no status of HTTP has no line of its own. */
function statusText(status: number): string {
  const known = statusTexts.get(status);
  if (known !== undefined) return known;
  if (!Number.isInteger(status) || status < 100 || status > 599) return 'other';
  const text = String(status);
  statusTexts.set(status, text);
  return text;
}

const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'];

function statusClass(status: number): string {
  return classes[Math.floor(status / 100) - 1] ?? 'other';
}
