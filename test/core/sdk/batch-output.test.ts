import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchOutput, type CallFacts, type FlowRequest, type FlowTools, type JsonObject } from 'portcullis/sdk';

async function* lines(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{}\n');
}

async function outputOf(batch: JsonObject, id = 'batch_1', headers: Readonly<Record<string, string>> = {}) {
  const asked: FlowRequest[] = [];
  const facts: CallFacts = {
    settings: {},
    endpoint: 'getBatchOutput',
    model: '',
    stream: false,
    params: { id },
    query: {},
  };
  const tools: FlowTools = {
    send: async (request) => {
      asked.push(request);
      return { status: 200, headers: {}, bytes: new Uint8Array(), json: batch };
    },
    open: async (request) => {
      asked.push(request);
      return { status: 200, headers, body: lines() };
    },
    pause: () => assert.fail('There is nothing to wait for.'),
    nowSeconds: () => 0,
    newId: (prefix) => prefix,
  };
  const result = await batchOutput()({ facts, body: {}, files: [] }, tools);
  return { result, urls: asked.map(({ url }) => url) };
}

describe('the output of a batch', () => {
  it('is the content of its output file, with the type that it has', async () => {
    const batch = { output_file_id: 'file/1', error_file_id: 'file-2' };
    const { result, urls } = await outputOf(batch, 'a b', { 'content-type': 'application/jsonl' });
    assert.deepEqual(urls, ['/batches/a%20b', '/files/file%2F1/content']);
    assert.ok('contentType' in result);
    assert.equal(result.contentType, 'application/jsonl');
  });
  it('is that of its errors where nothing else is there', async () => {
    const { result, urls } = await outputOf({ output_file_id: null, error_file_id: 'file-2' });
    assert.equal(urls[1], '/files/file-2/content');
    assert.ok('contentType' in result);
    assert.equal(result.contentType, 'application/octet-stream');
  });
  it('is not there before the batch has ended', async () => {
    const missing = { code: 'not_found', status: 404, message: /its status is in_progress/ };
    await assert.rejects(outputOf({ status: 'in_progress', output_file_id: null }), missing);
  });
  for (const id of ['', '.', '..']) {
    it(`is refused for the id ${JSON.stringify(id)}`, () =>
      assert.rejects(outputOf({ output_file_id: 'file-1' }, id), { code: 'bad_request', param: 'id' }));
  }
  it('leads nowhere but to a file', () =>
    assert.rejects(outputOf({ output_file_id: '..' }), { code: 'bad_request', param: 'output_file_id' }));
});
