import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import Koa from 'koa';
import { GatewayError } from 'portcullis/sdk';
import { createMetrics } from '../../../core/telemetry/metrics.ts';
import { type MetricsAccess, metricsAccessOf, metricsRoute } from '../../../core/telemetry/metrics-route.ts';
import { parsePrometheus, valueIn } from './prometheus-text.ts';

async function served(t: TestContext, access: MetricsAccess) {
  const metrics = createMetrics();
  metrics.counter('a_total', 'A', []).add([], 3);
  let texts = 0;
  const text = () => {
    texts += 1;
    return metrics.text();
  };
  const route = metricsRoute({ access, text, contentType: metrics.contentType });
  const app = new Koa();
  app.use(async (ctx) => {
    try {
      await route(ctx);
    } catch (error) {
      if (!GatewayError.is(error)) throw error;
      ctx.status = error.status;
      ctx.set({ ...error.headers });
      ctx.body = error.message;
    }
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const get = (headers: Readonly<Record<string, string>> = {}) =>
    new Promise<{ status: number; text: string; type: string; asks: string }>((resolve, reject) => {
      const asked = request({ port, path: '/metrics', headers, agent: false }, async (reply) => {
        const chunks: Buffer[] = [];
        for await (const chunk of reply) chunks.push(chunk as Buffer);
        const { 'content-type': type = '', 'www-authenticate': asks = '' } = reply.headers;
        resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString(), type, asks });
      });
      asked.on('error', reject).end();
    });
  return { get, port, texts: () => texts };
}

describe('who may read the metrics', () => {
  const table: readonly (readonly [boolean | undefined, string | undefined, MetricsAccess])[] = [
    [undefined, undefined, 'local'],
    [undefined, '', 'local'],
    [undefined, 't', { token: 't' }],
    [true, undefined, 'anyone'],
    [true, 't', { token: 't' }],
    [false, undefined, 'none'],
    [false, 't', 'none'],
  ];
  for (const [enabled, token, access] of table)
    it(`is ${JSON.stringify(access)} with ENABLE_PROMETHEUS ${enabled} and the token ${JSON.stringify(token)}`, () =>
      assert.deepEqual(metricsAccessOf({ enabled, token }), access));
});

describe('GET /metrics', () => {
  it('gives a program on this machine the text that a scraper reads', async (t) => {
    const { get } = await served(t, 'local');
    const { status, text, type } = await get();
    assert.equal(status, 200);
    assert.equal(type, 'text/plain; version=0.0.4; charset=utf-8');
    assert.equal(valueIn(parsePrometheus(text), 'a_total'), 3);
  });

  for (const headers of [
    { 'x-forwarded-for': '203.0.113.7' },
    { forwarded: 'for=203.0.113.7' },
    { via: '1.1 proxy' },
    { host: 'rebound.example' },
    { origin: 'https://page.example' },
  ]) {
    it(`is not there for what a proxy or a page on this machine passes on: ${Object.keys(headers)[0]}`, async (t) => {
      const { get } = await served(t, 'local');
      const { status, text } = await get(headers);
      assert.equal(status, 404);
      assert.equal(text, 'There is no route GET /metrics.');
    });
  }

  it('is not there for anyone where the operator says so', async (t) => {
    const { get } = await served(t, 'none');
    assert.equal((await get()).status, 404);
  });

  it('takes the token, and nothing else, where there is one', async (t) => {
    const { get } = await served(t, { token: 'let-me-see' });
    assert.equal((await get({ authorization: 'Bearer let-me-see', host: 'gateway.example' })).status, 200);
    for (const authorization of [
      undefined,
      'Bearer let-me-se',
      'Bearer let-me-see2',
      'Basic let-me-see',
      'let-me-see',
    ]) {
      const { status, asks } = await get(authorization === undefined ? {} : { authorization });
      assert.deepEqual([status, asks], [401, 'Bearer']);
    }
  });

  it('answers anyone where the operator has switched it on', async (t) => {
    const { get } = await served(t, 'anyone');
    assert.equal((await get({ host: 'gateway.example', 'x-forwarded-for': '203.0.113.7' })).status, 200);
  });

  it('puts the text together once for all who look at the same time', async () => {
    let texts = 0;
    let end = (_: string) => {};
    const text = () => {
      texts += 1;
      return new Promise<string>((resolve) => {
        end = resolve;
      });
    };
    const route = metricsRoute({ access: 'anyone', text, contentType: 'text/plain' });
    const looks = Array.from({ length: 5 }, () => ({ body: '', set: () => {} }));
    const running = looks.map((ctx) => route(ctx as unknown as Parameters<typeof route>[0]));
    end('all');
    await Promise.all(running);
    assert.deepEqual([texts, looks.map(({ body }) => body)], [1, Array(5).fill('all')]);
  });
});
