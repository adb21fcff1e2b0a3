import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GuardrailReport, Host, RequestRecord } from 'portcullis/sdk';
import { createTestHost } from 'portcullis/sdk/testing';
import { createMetrics } from '../../../core/telemetry/metrics.ts';
import telemetry from '../../../plugins/telemetry/index.ts';
import { parsePrometheus, valueIn } from '../../core/telemetry/prometheus-text.ts';
import { aRecord } from './a-record.ts';

/** The plugin over the gateway's own metrics. */
async function counting(env: Readonly<Record<string, string>> = {}) {
  const metrics = createMetrics();
  const host = Object.create(createTestHost({ env }), { metrics: { value: metrics } }) as Host;
  const hooks = await telemetry.setup({}, host);
  return {
    hooks,
    log: (fields: Partial<RequestRecord> = {}) => void hooks.log?.(aRecord(fields), undefined),
    shown: async () => parsePrometheus(await metrics.text()),
  };
}

const report = (fields: Partial<GuardrailReport>): GuardrailReport => ({
  id: 'shield',
  phase: 'beforeRequest',
  verdict: true,
  denied: false,
  transformed: false,
  async: false,
  shadow: false,
  durationMs: 1,
  target: 'config',
  checks: [],
  ...fields,
});

describe('the metrics of requests', () => {
  it('count a request with its tokens, its cost and its time', async () => {
    const { log, shown } = await counting();
    log({
      usage: { input: 30, output: 40, cacheRead: 10, cacheWrite: 5, reasoning: 7 },
      cache: 'MISS',
      timings: {
        parse: 1,
        prepare: 2,
        guardrailsBefore: 0,
        cache: 0.5,
        upstream: 80,
        guardrailsAfter: 0,
        firstByte: 90,
      },
    });
    const families = await shown();
    const spender = { provider: 'some', model: 'm-1' };
    const request = { endpoint: 'chatComplete', status: '200', cache: 'MISS', ...spender };
    assert.equal(valueIn(families, 'portcullis_requests_total', request), 1);
    for (const [kind, amount] of Object.entries({
      input: 30,
      output: 40,
      cache_read: 10,
      cache_write: 5,
      reasoning: 7,
    }))
      assert.equal(valueIn(families, 'portcullis_tokens_total', { kind, ...spender }), amount);
    assert.equal(valueIn(families, 'portcullis_cost_usd_total', spender), 1.5);
    const duration = { endpoint: 'chatComplete', provider: 'some', status: '2xx', stream: 'false' };
    assert.equal(valueIn(families, 'portcullis_request_duration_seconds_sum', duration), 0.1);
    assert.equal(valueIn(families, 'portcullis_overhead_seconds_sum'), 0.01);
    assert.equal(valueIn(families, 'portcullis_stage_duration_seconds_sum', { stage: 'upstream' }), 0.08);
    assert.equal(valueIn(families, 'portcullis_stage_duration_seconds_count', { stage: 'first_byte' }), 1);
    assert.throws(() => valueIn(families, 'portcullis_stage_duration_seconds_count', { stage: 'guardrails_before' }));
  });

  it('count errors, retries, fallbacks and calls of providers', async () => {
    const { log, shown } = await counting();
    const attempt = (provider: string, status: number) => ({
      target: 't',
      provider,
      status,
      startedAt: 0,
      durationMs: 1,
    });
    log({ retries: 2, fallback: true, attempts: [attempt('one', 500), attempt('one', 500), attempt('some', 200)] });
    log({ retries: -1, status: 429, error: 'upstream_error', attempts: [attempt('some', 429)], cost: undefined });
    const families = await shown();
    assert.equal(valueIn(families, 'portcullis_attempts_total', { provider: 'one', status: '500' }), 2);
    assert.equal(valueIn(families, 'portcullis_retried_requests_total', { ending: 'served' }), 1);
    assert.equal(valueIn(families, 'portcullis_retried_requests_total', { ending: 'exhausted' }), 1);
    assert.equal(valueIn(families, 'portcullis_fallbacks_total', { provider: 'some' }), 1);
    assert.equal(valueIn(families, 'portcullis_request_errors_total', { code: 'upstream_error' }), 1);
    assert.deepEqual(families.get('portcullis_unpriced_requests_total')?.samples, []);
  });

  it('tell requests without a price from free ones, and what the cache has saved', async () => {
    const { log, shown } = await counting();
    log({ cost: undefined });
    log({ cost: { nanoUsd: 0, parts: {}, source: 'none' }, cache: 'HIT', savedNanoUsd: 2_000_000_000 });
    const families = await shown();
    assert.equal(valueIn(families, 'portcullis_unpriced_requests_total', { provider: 'some', model: 'm-1' }), 1);
    assert.equal(valueIn(families, 'portcullis_cache_savings_usd_total'), 2);
    assert.deepEqual(families.get('portcullis_cost_usd_total')?.samples, []);
    assert.equal(valueIn(families, 'portcullis_requests_total', { cache: 'HIT' }), 1);
  });

  it('count verdicts of guardrails, and checks that gave none', async () => {
    const { log, shown } = await counting();
    const failed = { id: 'c', unit: 'u@1', verdict: false, transformed: false, durationMs: 1, error: 'check_failed' };
    log({
      guardrails: [
        report({}),
        report({ verdict: false, denied: true, checks: [failed] }),
        report({ transformed: true, phase: 'afterRequest' }),
        report({ shadow: true, verdict: false }),
      ],
    });
    const families = await shown();
    for (const [verdict, phase] of [
      ['passed', 'before_request'],
      ['denied', 'before_request'],
      ['transformed', 'after_request'],
      ['shadow_failed', 'before_request'],
    ] as const)
      assert.equal(
        valueIn(families, 'portcullis_guardrail_verdicts_total', { guardrail: 'shield', verdict, phase }),
        1,
      );
    assert.equal(
      valueIn(families, 'portcullis_guardrail_check_errors_total', { check: 'c', error: 'check_failed' }),
      1,
    );
  });

  it('take a request that never got to a provider', async () => {
    const { log, shown } = await counting();
    const nothing = { endpoint: undefined, provider: undefined, model: undefined, usage: undefined, cost: undefined };
    log({ ...nothing, status: 401, error: 'unauthenticated' });
    const none = { endpoint: 'none', provider: 'none', model: 'none', status: '401', cache: 'none' };
    assert.equal(valueIn(await shown(), 'portcullis_requests_total', none), 1);
  });

  it('keep a hundred models apart, and none that no provider knows', async () => {
    const { log, shown } = await counting();
    log({ model: 'made-up', status: 404, usage: undefined });
    for (let index = 0; index < 150; index += 1) log({ model: `m-${index}` });
    const families = await shown();
    const samples = families.get('portcullis_tokens_total')?.samples ?? [];
    assert.equal(new Set(samples.map(({ labels }) => labels.model)).size, 101);
    assert.equal(valueIn(families, 'portcullis_tokens_total', { kind: 'input', model: 'other' }), 50 * 30);
    assert.equal(valueIn(families, 'portcullis_requests_total', { status: '404', model: 'other' }), 1);
  });

  it('have no line for a status that is none', async () => {
    const { log, shown } = await counting();
    for (const status of [999, 1000, 600]) log({ status });
    assert.equal(valueIn(await shown(), 'portcullis_requests_total', { status: 'other' }), 3);
  });
});

describe('the labels that the operator chooses', () => {
  const all = {
    PROMETHEUS_INCLUDE_CONFIG_NAME_LABEL: 'true',
    PROMETHEUS_INCLUDE_API_KEY_NAME_LABEL: 'on',
    PROMETHEUS_INCLUDE_METADATA_LABELS: '1',
    PROMETHEUS_LABELS_METADATA_ALLOWED_KEYS: 'team, cost-centre',
  };

  it('stand on the counters', async () => {
    const { log, shown } = await counting(all);
    log({
      principalName: 'The web shop',
      configSlug: 'main',
      metadata: { team: 'search', 'cost-centre': '7', secret: 'x' },
    });
    log({ principal: 'key:other' });
    const families = await shown();
    const labels = {
      config_name: 'main',
      api_key_name: 'The web shop',
      metadata_team: 'search',
      metadata_cost_centre: '7',
    };
    for (const name of ['requests_total', 'cost_usd_total'])
      assert.equal(valueIn(families, `portcullis_${name}`, labels), name === 'requests_total' ? 1 : 1.5);
    assert.equal(valueIn(families, 'portcullis_tokens_total', { kind: 'output', ...labels }), 40);
    const unnamed = { config_name: 'none', api_key_name: 'key:other', metadata_team: 'none' };
    assert.equal(valueIn(families, 'portcullis_requests_total', unnamed), 1);
    const text = JSON.stringify([...families.values()]);
    assert.doesNotMatch(text, /secret/);
  });

  it('leave out the model where it is not wanted', async () => {
    const { log, shown } = await counting({ PROMETHEUS_INCLUDE_MODEL_LABEL: 'false' });
    log();
    log({ model: 'm-2' });
    const families = await shown();
    assert.equal(valueIn(families, 'portcullis_cost_usd_total', { provider: 'some' }), 3);
    assert.equal('model' in (families.get('portcullis_requests_total')?.samples[0]?.labels ?? {}), false);
  });

  it('are not there without being asked for', async () => {
    const { log, shown } = await counting({ PROMETHEUS_LABELS_METADATA_ALLOWED_KEYS: 'team' });
    log({ metadata: { team: 'search' } });
    const labels = (await shown()).get('portcullis_requests_total')?.samples[0]?.labels ?? {};
    assert.deepEqual(Object.keys(labels), ['endpoint', 'status', 'cache', 'provider', 'model']);
  });

  it('come with buckets of their own', async () => {
    const { log, shown } = await counting({
      PROMETHEUS_HTTP_DURATION_BUCKETS: '0.05,0.2',
      PROMETHEUS_HISTOGRAM_BUCKETS: '1',
    });
    log();
    const bounds = (await shown())
      .get('portcullis_request_duration_seconds')
      ?.samples.flatMap(({ labels: { le } }) => le ?? []);
    assert.deepEqual(bounds, ['0.05', '0.2', '+Inf']);
  });

  for (const [name, value] of [
    ['PROMETHEUS_INCLUDE_MODEL_LABEL', 'perhaps'],
    ['PROMETHEUS_HTTP_DURATION_BUCKETS', '2,1'],
    ['PROMETHEUS_HTTP_DURATION_BUCKETS', '1,x'],
    ['PROMETHEUS_HISTOGRAM_BUCKETS', '0,1'],
  ] as const)
    it(`are refused by name: ${name}=${value}`, () =>
      assert.rejects(counting({ [name]: value }), { code: 'invalid_config', param: name }));

  it('are refused where two keys would be one label', () =>
    assert.rejects(
      counting({ PROMETHEUS_INCLUDE_METADATA_LABELS: 'true', PROMETHEUS_LABELS_METADATA_ALLOWED_KEYS: 'a-b,a_b' }),
      { param: 'PROMETHEUS_LABELS_METADATA_ALLOWED_KEYS' },
    ));
});
