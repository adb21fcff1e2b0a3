import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import standard from '../../../core/pipeline/default.json' with { type: 'json' };
import { w3cTraceId } from '../../../core/telemetry/trace-context.ts';
import { parsePrometheus, valueIn } from '../../core/telemetry/prometheus-text.ts';
import { startGateway } from '../../support/gateway.ts';
import { startPeer } from '../../support/peer.ts';
import { chat, target } from '../../support/routed.ts';
import { type Collector, startCollector } from './collector.ts';
import type { SeenSpan } from './otlp.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callersSpan = 'b7ad6b7169203331';

const withTelemetry = (plugins: readonly string[]) =>
  [...new Set([...plugins, 'telemetry'])].map((plugin) => ({ plugin }));

/** A gateway whose traces go to a collector; one provider, with a guardrail before it. */
async function traced(t: TestContext, config: (peer: { origin: string }) => JsonObject) {
  const peer = await startPeer(t);
  const collector = await startCollector(t);
  const env: Readonly<Record<string, string>> = {
    EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED: 'true',
    OTEL_ENDPOINT: collector.origin,
  };
  const gateway = await startGateway(
    t,
    {
      configs: { main: config(peer) },
      defaultConfig: 'main',
      phases: { log: withTelemetry(standard.log) },
    },
    { env: (name) => env[name], sleep: async () => {} },
  );
  const ask = (headers: Readonly<Record<string, string>> = {}, content = 'x') =>
    gateway.post('/v1/chat/completions', { ...chat, messages: [{ role: 'user', content }] }, headers);
  return { peer, collector, ask, gateway };
}

const shield = { 'default.contains': { words: ['forbidden'], operator: 'none' }, deny: true, id: 'shield' };

/** The spans of one trace once its root is there, by their names. */
async function treeOf(collector: Collector, count: number): Promise<ReadonlyMap<string, SeenSpan>> {
  const spans = await collector.seen(count);
  return new Map(spans.map((span) => [span.name, span]));
}

describe('a request through the gateway', () => {
  it('is one trace: the request, the calls of its provider and its guardrails', async (t) => {
    const { peer, collector, ask } = await traced(t, (peer) =>
      target(peer, { retry: { attempts: 1, on_status_codes: [503] }, input_guardrails: [shield] }),
    );
    peer.next({ status: 503 });
    const reply = await ask({
      traceparent: `00-${traceId}-${callersSpan}-01`,
      tracestate: 'acme=1, other=x:y',
      'x-gw-span-name': 'summarise',
    });
    assert.equal(reply.status, 200);
    const spans = await collector.seen(4);
    assert.deepEqual(new Set(spans.map((span) => span.traceId)), new Set([traceId]));
    assert.deepEqual(new Set(spans.map((span) => span.traceState)), new Set(['acme=1,other=x:y']));
    const [root] = spans.filter((span) => span.name === 'summarise');
    assert.equal(root?.parentSpanId, callersSpan);
    assert.equal(root?.attributes['gen_ai.request.model'], 'm');
    assert.equal(root?.attributes['gen_ai.response.model'], 'gpt-4.1-2025-04-14');
    assert.equal(root?.attributes['gen_ai.provider.name'], 'openai');
    assert.equal(typeof root?.attributes['gen_ai.usage.input_tokens'], 'number');
    const children = spans.filter((span) => span !== root && !span.name.startsWith('portcullis.'));
    for (const child of children) {
      assert.equal(child.parentSpanId, root?.spanId);
      assert.ok(child.start >= (root?.start ?? 0n), child.name);
    }
    const calls = children.filter(({ name }) => name === 'call openai');
    assert.deepEqual(
      calls.map(({ attributes, statusCode }) => [attributes['http.response.status_code'], statusCode]),
      [
        [503, 2],
        [200, 0],
      ],
    );
    const guardrail = children.find(({ name }) => name === 'portkey.guardrail.shield');
    assert.deepEqual(
      ['phase', 'verdict', 'action', 'deny', 'async'].map((name) => guardrail?.attributes[`portkey.guardrail.${name}`]),
      ['input', true, 'passed', true, false],
    );
    assert.doesNotMatch(
      JSON.stringify(spans.map(({ attributes, resource }) => ({ attributes, resource }))),
      /"k"|api_key|messages/,
    );
  });

  it('that a guardrail denies is a trace without a call', async (t) => {
    const { collector, ask } = await traced(t, (peer) => target(peer, { input_guardrails: [shield] }));
    const reply = await ask({ 'x-gw-trace-id': 'my session' }, 'forbidden fruit');
    assert.equal(reply.status, 446);
    const tree = await treeOf(collector, 2);
    const root = tree.get('chat m');
    assert.equal(root?.traceId, w3cTraceId('my session'));
    assert.equal(root?.attributes['portcullis.trace.id'], 'my session');
    assert.equal(root?.attributes['http.response.status_code'], 446);
    assert.equal(tree.get('portkey.guardrail.shield')?.attributes['portkey.guardrail.action'], 'denied');
    assert.equal(tree.has('call openai'), false);
  });

  it('stands in the trace of its traceparent, whatever its caller calls it', async (t) => {
    const { peer, collector, ask } = await traced(t, (peer) => target(peer, {}));
    await ask({ traceparent: `00-${traceId}-${callersSpan}-01`, 'x-gw-trace-id': 'checkout' });
    const [root] = (await collector.seen(1)).filter((span) => span.parentSpanId === callersSpan);
    assert.equal(root?.traceId, traceId);
    assert.equal(root?.attributes['portcullis.trace.id'], 'checkout');
    assert.equal(peer.requests[0]?.headers.traceparent, `00-${traceId}-${root?.spanId}-01`);
  });

  it('tells of a stream that breaks off that the call has failed, and not the one before it', async (t) => {
    const { peer, collector, gateway } = await traced(t, (peer) =>
      target(peer, { retry: { attempts: 1, on_status_codes: [503] } }),
    );
    peer.next({ status: 503 }, { upTo: 2, ending: 'cut' });
    await gateway.post('/v1/chat/completions', { ...chat, stream: true });
    const spans = await collector.seen(3);
    assert.deepEqual(
      spans
        .filter(({ name }) => !name.startsWith('portcullis.'))
        .map(({ name, statusCode, attributes }) => [
          name,
          statusCode,
          attributes['http.response.status_code'],
          attributes['error.type'],
        ]),
      [
        ['chat m', 2, 200, 'upstream_unreachable'],
        ['call openai', 2, 503, 'upstream_error'],
        ['call openai', 2, 200, 'upstream_unreachable'],
      ],
    );
  });

  it('is not exported where its caller does not sample the trace', async (t) => {
    const { collector, ask } = await traced(t, (peer) => target(peer, {}));
    await ask({ traceparent: `00-${traceId}-${callersSpan}-00` });
    const other = traceId.replace('0', '1');
    await ask({ traceparent: `00-${other}-${callersSpan}-01` });
    const spans = await collector.seen(1);
    assert.deepEqual(new Set(spans.map((span) => span.traceId)), new Set([other]));
  });

  it('is served as ever while the collector says nothing', async (t) => {
    const { collector, ask } = await traced(t, (peer) => target(peer));
    collector.next(...Array<'frozen'>(50).fill('frozen'));
    for (let round = 0; round < 5; round += 1) {
      const replies = await Promise.all(Array.from({ length: 100 }, () => ask()));
      assert.ok(replies.every(({ status }) => status === 200));
    }
    assert.equal(collector.spans.length, 0);
    assert.ok(collector.posts.length > 0);
  });

  it('is counted in what the gateway shows to a scraper on its machine', async (t) => {
    const { peer, ask, gateway } = await traced(t, (peer) => target(peer, { input_guardrails: [shield] }));
    await ask();
    await ask({}, 'forbidden fruit');
    await peer.request(0);
    const { status, text } = await gateway.request('GET', '/metrics');
    assert.equal(status, 200);
    const families = parsePrometheus(text);
    const served = { endpoint: 'chatComplete', provider: 'openai', status: '200' };
    assert.equal(valueIn(families, 'portcullis_requests_total', served), 1);
    assert.equal(valueIn(families, 'portcullis_requests_total', { status: '446' }), 1);
    assert.equal(valueIn(families, 'portcullis_attempts_total', { provider: 'openai', status: '200' }), 1);
    for (const verdict of ['passed', 'denied'])
      assert.equal(valueIn(families, 'portcullis_guardrail_verdicts_total', { guardrail: 'shield', verdict }), 1);
    assert.ok(valueIn(families, 'portcullis_stage_duration_seconds_sum', { stage: 'upstream' }) > 0);
    assert.equal(valueIn(families, 'portcullis_overhead_seconds_count'), 2);
    assert.equal(valueIn(families, 'portcullis_requests_in_flight'), 0);
  });
});
