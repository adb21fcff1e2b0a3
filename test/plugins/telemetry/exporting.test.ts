import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createTestHost, type TestHost } from 'portcullis/sdk/testing';
import telemetry from '../../../plugins/telemetry/index.ts';
import { batchSize, mostWaiting, Outbox } from '../../../plugins/telemetry/traces/outbox.ts';
import { aRecord } from './a-record.ts';
import { startCollector } from './collector.ts';

async function exporting(_: TestContext, env: Readonly<Record<string, string>>) {
  const host: TestHost = createTestHost({ env });
  const hooks = await telemetry.setup({}, host);
  const endings = (ending: string) => host.metrics.total('portcullis_traced_requests_total', ending);
  return {
    host,
    endings,
    log: (id: string) => void hooks.log?.(aRecord({ id, traceId: id }), undefined),
    close: async () => hooks.close?.(),
  };
}

describe('the export of traces', () => {
  for (const protocol of ['http/protobuf', 'http/json']) {
    it(`arrives whole in ${protocol}, with the operator's headers and resource`, async (t) => {
      const collector = await startCollector(t);
      const { log, close, endings } = await exporting(t, {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/otlp`,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20t',
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      });
      log('0af7651916cd43dd8448eb211c80319c');
      await close();
      const [span] = collector.spans;
      assert.equal(collector.spans.length, 1);
      assert.deepEqual(
        [span?.traceId, span?.spanId, span?.parentSpanId, span?.name, span?.kind],
        ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331', '', 'chat m', 2],
      );
      assert.deepEqual([span?.start, span?.end], [1_700_000_000_000_000_000n, 1_700_000_000_100_000_000n]);
      assert.equal(span?.attributes['gen_ai.usage.input_tokens'], 30);
      assert.equal(span?.attributes['portcullis.cost_usd'], 1.5);
      assert.deepEqual(span?.resource, { 'deployment.environment.name': 'test', 'service.name': 'portcullis' });
      const [post] = collector.posts;
      assert.deepEqual([post?.path, post?.headers.authorization], ['/otlp/v1/traces', 'Bearer t']);
      assert.equal(endings('exported'), 1);
    });
  }

  it('leaves out what the operator does not sample', async (t) => {
    const collector = await startCollector(t);
    const { log, close } = await exporting(t, {
      OTEL_ENDPOINT: collector.origin,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.5',
    });
    for (const digit of '0123456789abcdef') log(`0af7651916cd43dd8448eb21${digit}11c8031`);
    await close();
    assert.ok(collector.spans.length > 0 && collector.spans.length < 16, `${collector.spans.length}`);
  });

  it('is compressed where the operator says so, at the second try too', async (t) => {
    const collector = await startCollector(t);
    collector.next({ status: 503, retryAfter: '0' });
    const { log, close, endings } = await exporting(t, {
      OTEL_ENDPOINT: collector.origin,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    });
    log('0af7651916cd43dd8448eb211c80319c');
    await close();
    assert.deepEqual(
      collector.posts.map(({ headers }) => headers['content-encoding']),
      ['gzip', 'gzip'],
    );
    assert.deepEqual([collector.spans[0]?.name, endings('exported')], ['chat m', 1]);
  });

  it('comes in batches, and at the end with what is left', async (t) => {
    const collector = await startCollector(t);
    const { log, close, endings } = await exporting(t, { OTEL_ENDPOINT: collector.origin });
    for (let index = 0; index < batchSize * 3 + 5; index += 1) log(`request ${index}`);
    await collector.seen(batchSize * 3);
    await close();
    assert.equal(collector.spans.length, batchSize * 3 + 5);
    assert.equal(collector.posts.length, 4);
    assert.equal(new Set(collector.spans.map(({ traceId }) => traceId)).size, batchSize * 3 + 5);
    assert.equal(endings('exported'), batchSize * 3 + 5);
  });

  it('tries again where the collector asks for that, and counts what it refuses', async (t) => {
    const collector = await startCollector(t);
    const { log, close, endings, host } = await exporting(t, { OTEL_ENDPOINT: collector.origin });
    collector.next(503, 200, 400);
    for (let index = 0; index < batchSize; index += 1) log(`first ${index}`);
    await collector.seen(batchSize);
    for (let index = 0; index < 3; index += 1) log(`second ${index}`);
    await close();
    assert.deepEqual([endings('exported'), endings('failed')], [batchSize, 3]);
    assert.deepEqual(
      host.logged.map(({ event, fields }) => [event, fields.reason]),
      [['traces_lost', 'the collector does not take them']],
    );
  });

  it('tries again where the collector breaks off, and not where it wants to be left alone for long', async (t) => {
    const collector = await startCollector(t);
    const { log, close, endings } = await exporting(t, { OTEL_ENDPOINT: collector.origin });
    collector.next('reset', 200, { status: 429, retryAfter: '0' }, 200, { status: 503, retryAfter: '3600' });
    for (let round = 1; round <= 2; round += 1) {
      for (let index = 0; index < batchSize; index += 1) log(`${round} ${index}`);
      await collector.seen(batchSize * round);
    }
    log('the last');
    await close();
    assert.deepEqual([endings('exported'), endings('failed')], [batchSize * 2, 1]);
    assert.equal(collector.posts.length, 5);
  });

  it('loses traces, and counts them, when the collector says nothing any more', async (t) => {
    const collector = await startCollector(t);
    const { log, close, endings, host } = await exporting(t, { OTEL_ENDPOINT: collector.origin });
    collector.next('frozen', 'frozen', 'frozen', 'frozen');
    const all = mostWaiting + 1000;
    for (let index = 0; index < all; index += 1) log(`request ${index}`);
    assert.equal(endings('queue_full'), 1000);
    assert.equal(host.metrics.readings('portcullis_trace_queue_depth')[0]?.value, mostWaiting);
    await close();
    const ended = ['queue_full', 'closed', 'failed'].map(endings);
    assert.deepEqual(ended, [1000, mostWaiting - 4 * batchSize, 4 * batchSize]);
  });

  it('says once that the collector is away, and without its URL', async (t) => {
    const { log, close, endings, host } = await exporting(t, {
      OTEL_ENDPOINT: 'http://127.0.0.1:9/with-a-secret',
      OTEL_EXPORTER_OTLP_HEADERS: 'x=hidden',
    });
    for (let index = 0; index < batchSize * 2; index += 1) log(`request ${index}`);
    await close();
    assert.equal(endings('failed'), batchSize * 2);
    assert.equal(host.logged.length, 1);
    assert.doesNotMatch(JSON.stringify(host.logged), /secret|hidden/);
  });
});

describe('what waits to be sent', () => {
  it('is never more than four batches on their way', async () => {
    let running = 0;
    let most = 0;
    const outbox = new Outbox<number>({
      ended: () => {},
      send: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return 'exported';
      },
    });
    for (let index = 0; index < batchSize * 20; index += 1) outbox.add(index);
    await outbox.close();
    assert.deepEqual([most, outbox.waiting], [4, 0]);
  });

  it('takes nothing once it is closed', async () => {
    const endings: string[] = [];
    const outbox = new Outbox<number>({ ended: (ending) => endings.push(ending), send: async () => 'exported' });
    await outbox.close();
    outbox.add(1);
    assert.deepEqual(endings, ['closed']);
  });
});
