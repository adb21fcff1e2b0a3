import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RequestRecord } from 'portcullis/sdk';
import { createTestHost } from 'portcullis/sdk/testing';
import consoleLog from '../../plugins/console-log/index.ts';

const record: RequestRecord = {
  id: 'r1',
  traceId: 'r1',
  startedAt: 1,
  durationMs: 12,
  method: 'POST',
  path: '/v1/chat/completions',
  endpoint: 'chatComplete',
  status: 200,
  stream: false,
  principal: 'key:web',
  provider: 'some',
  model: 'm',
  target: 'config',
  retries: 0,
  usage: { input: 3, output: 4 },
  metadata: {},
  spanId: '00f067aa0ba902b7',
  error: undefined,
};

async function lineOf(fields: Partial<RequestRecord>) {
  const host = createTestHost();
  const hooks = await consoleLog.setup({}, host);
  await hooks.log?.({ ...record, ...fields }, undefined);
  assert.equal(host.logged.length, 1);
  return host.logged[0];
}

describe('the console log', () => {
  it('writes one line a request', async () => {
    assert.deepEqual(await lineOf({}), {
      level: 'info',
      event: 'request',
      fields: {
        id: 'r1',
        method: 'POST',
        path: '/v1/chat/completions',
        status: 200,
        ms: 12,
        principal: 'key:web',
        provider: 'some',
        model: 'm',
        target: 'config',
        input_tokens: 3,
        output_tokens: 4,
      },
    });
  });

  it('names the trace, retries, stream and error where there is something to say', async () => {
    const fields = (await lineOf({ traceId: 't', retries: -1, stream: true, error: 'client_closed', status: 499 }))
      ?.fields;
    assert.deepEqual(
      [fields?.trace, fields?.retries, fields?.stream, fields?.error, fields?.status],
      ['t', -1, true, 'client_closed', 499],
    );
  });

  it('leaves out what is not known', async () => {
    const fields = (
      await lineOf({ principal: undefined, provider: undefined, model: undefined, target: undefined, usage: undefined })
    )?.fields;
    assert.deepEqual(Object.keys(fields ?? {}), ['method', 'path', 'status', 'id', 'ms']);
  });

  it('says the same of requests that are alike as of the first of them, and never what another had', async () => {
    const host = createTestHost();
    const hooks = await consoleLog.setup({}, host);
    const changes: readonly Partial<RequestRecord>[] = [
      {},
      { model: 'other' },
      { status: 500, error: 'internal' },
      { keyId: 'k1', principal: undefined },
      { configSlug: 'pc', configId: 'pc' },
      { configSlug: 'pc', configId: 'c1' },
      ...Array.from({ length: 20 }, (_, index) => ({ path: `/v1/files/${index}` })),
    ];
    const rounds = ['r1', 'r2', 'r3'];
    for (const id of rounds)
      for (const change of changes) await hooks.log?.({ ...record, ...change, id, traceId: id }, undefined);
    for (const [index, { fields }] of host.logged.entries()) {
      const change = changes[index % changes.length] ?? {};
      const id = rounds[Math.floor(index / changes.length)];
      assert.deepEqual(fields, { ...(await lineOf(change))?.fields, id });
    }
    assert.equal(host.logged.length, rounds.length * changes.length);
  });
});
