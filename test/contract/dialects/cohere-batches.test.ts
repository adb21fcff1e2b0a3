import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Endpoint, FlowCall, FlowRequest, FlowTools, JsonObject } from 'portcullis/sdk';
import { batchEndpoints } from '../../../providers/cohere/batches/index.ts';

/** Runs a flow against answers by method and path; gives what it asked and what it says. */
async function run(endpoint: Endpoint, body: JsonObject, answers: Readonly<Record<string, JsonObject>>, id = 'b1') {
  const asked: FlowRequest[] = [];
  const tools: FlowTools = {
    async send(request) {
      asked.push(request);
      const json = answers[`${request.method} ${request.url}`];
      const status = json === undefined ? 404 : 200;
      if (status === 404 && request.accepts?.includes(404) !== true) throw new Error(`no ${request.url}`);
      return { status, headers: {}, bytes: new Uint8Array(), json: json ?? {} };
    },
    open: () => Promise.reject(new Error('nothing is opened')),
    pause: () => Promise.resolve(),
    nowSeconds: () => 0,
    newId: (prefix) => `${prefix}1`,
  };
  const facts = { settings: {}, endpoint, model: '', stream: false, params: { id }, query: {} } as const;
  const call: FlowCall = { facts, body, files: [] };
  const flow = batchEndpoints[endpoint]?.flow;
  assert.ok(flow);
  return { result: await flow(call, tools), asked };
}

const chats = { id: 'b1', status: 'BATCH_STATUS_QUEUED', input_dataset_id: 'd1', model: 'command-a-03-2025' };

describe('batches of cohere', () => {
  it('of chats are made where chats are, under a name of their own', async () => {
    const body = {
      input_file_id: 'd1',
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
      model: 'command-a-03-2025',
    };
    const { result, asked } = await run('createBatch', body, { 'POST /v2/batches': { batch: chats } });
    assert.deepEqual(asked, [
      {
        method: 'POST',
        url: '/v2/batches',
        body: { name: 'batch_1', model: 'command-a-03-2025', input_dataset_id: 'd1' },
      },
    ]);
    assert.ok('json' in result);
    assert.equal(result.json.status, 'validating');
    assert.equal(result.json.endpoint, '/v1/chat/completions');
  });

  it('need a file, a model and a known endpoint', async () => {
    const whole = { input_file_id: 'd1', endpoint: '/v1/embeddings', model: 'm' };
    for (const field of ['input_file_id', 'endpoint', 'model']) {
      const body: JsonObject = { ...whole, [field]: '' };
      await assert.rejects(run('createBatch', body, {}), { code: 'bad_request', param: field });
    }
  });

  it('of chats are cancelled and found where no job has their id', async () => {
    const { asked, result } = await run(
      'cancelBatch',
      {},
      {
        'POST /v2/batches/b1:cancel': {},
        'GET /v2/batches/b1': { batch: { ...chats, status: 'BATCH_STATUS_CANCELING' } },
      },
    );
    assert.deepEqual(
      asked.map(({ method, url }) => `${method} ${url}`),
      ['POST /v1/embed-jobs/b1/cancel', 'POST /v2/batches/b1:cancel', 'GET /v1/embed-jobs/b1', 'GET /v2/batches/b1'],
    );
    assert.ok('json' in result);
    assert.equal(result.json.status, 'cancelling');
  });

  it('without output say so', async () => {
    const job = { job_id: 'b1', status: 'processing', created_at: '2026-01-01T00:00:00Z' };
    await assert.rejects(run('getBatchOutput', {}, { 'GET /v1/embed-jobs/b1': job }), { code: 'not_found' });
  });

  it('keep ids out of the path that are none', async () => {
    const { asked } = await run('retrieveBatch', {}, { 'GET /v1/embed-jobs/..%2Fdatasets': {} }, '../datasets');
    assert.equal(asked[0]?.url, '/v1/embed-jobs/..%2Fdatasets');
  });
});
