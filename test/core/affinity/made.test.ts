import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Endpoint, JsonObject } from 'portcullis/sdk';
import {
  deletedIn,
  listsObjects,
  type MakingRequest,
  madeIn,
  madeInEvent,
  outcomesIn,
  withoutItems,
} from '../../../core/affinity/made.ts';

const asked = (endpoint: Endpoint, more: Partial<MakingRequest> = {}): MakingRequest => ({
  endpoint,
  method: 'POST',
  params: {},
  query: '',
  body: {},
  ...more,
});
const made = (request: MakingRequest, reply: JsonObject) =>
  madeIn(request, reply).map(({ id, kind }) => `${kind} ${id}`);
const below = (endpoint: Endpoint, rest: string, method = 'POST') => asked(endpoint, { method, params: { rest } });

describe('what a reply makes', () => {
  it('a file, a batch, a fine-tuning job', () => {
    assert.deepEqual(made(asked('uploadFile'), { id: 'f-1', object: 'file' }), ['file f-1']);
    assert.deepEqual(made(asked('createBatch'), { id: 'b-1', output_file_id: null, error_file_id: 'f-2' }), [
      'batch b-1',
      'file f-2',
    ]);
    assert.deepEqual(made(asked('createFinetune'), { id: 'j-1', result_files: [] }), ['fine_tuning_job j-1']);
  });

  it('nothing where it only tells, or is of another shape', () => {
    for (const endpoint of ['retrieveFile', 'listFiles', 'chatComplete', 'getModelResponse'] as const) {
      assert.deepEqual(
        made(asked(endpoint, { method: 'GET' }), { id: 'f-1', object: 'file', data: [{ id: 'f-2' }] }),
        [],
      );
    }
    assert.deepEqual(made(asked('uploadFile'), { id: 7 }), []);
    assert.deepEqual(made(asked('uploadFile'), { id: '' }), []);
    assert.deepEqual(made(below('threads', '/t-1', 'GET'), { id: 't-1', object: 'thread' }), []);
  });

  const output = [
    { type: 'reasoning', id: 'rs-1', encrypted_content: 'gAAAA' },
    { type: 'message', id: 'msg-1', content: [] },
    { type: 'code_interpreter_call', id: 'ci-1', container_id: 'cntr-1' },
  ];

  it('a response with its items', () => {
    assert.deepEqual(made(asked('createModelResponse'), { id: 'r-1', output }), [
      'response r-1',
      'reasoning gAAAA',
      'item rs-1',
      'item msg-1',
      'item ci-1',
      'container cntr-1',
    ]);
  });

  it('no reasoning that the gateway made of an answer in another format', () => {
    const reasoning = { type: 'reasoning', id: 'rs_gw_1', encrypted_content: 'CiQB' };
    assert.deepEqual(made(asked('createModelResponse'), { id: 'r-1', output: [reasoning] }), ['response r-1']);
  });

  it('a response that is not kept: only what can come back in any case', () => {
    const left = ['reasoning gAAAA', 'container cntr-1'];
    assert.deepEqual(made(asked('createModelResponse', { body: { store: false } }), { id: 'r-1', output }), left);
    assert.deepEqual(made(asked('createModelResponse'), { id: 'r-1', store: false, output }), left);
    const kept = made(asked('createModelResponse', { body: { store: false } }), { id: 'r-1', store: true, output: [] });
    assert.deepEqual(kept, ['response r-1'], 'the reply knows better');
  });

  it('the container of messages', () => {
    assert.deepEqual(made(asked('messages'), { id: 'msg-1', container: { id: 'c-1' } }), ['container c-1']);
    assert.deepEqual(made(asked('messages'), { id: 'msg-1', container: null }), []);
  });

  it('assistants, threads, vector stores, conversations, and what is below them', () => {
    assert.deepEqual(made(below('assistants', ''), { id: 'a-1', object: 'assistant' }), ['assistant a-1']);
    assert.deepEqual(made(below('threads', ''), { id: 't-1', object: 'thread' }), ['thread t-1']);
    assert.deepEqual(made(below('threads', '/t-1/messages'), { id: 'm-1', thread_id: 't-1' }), [
      'part m-1',
      'thread t-1',
    ]);
    assert.deepEqual(made(below('threads', '/runs'), { id: 'r-1', object: 'thread.run', thread_id: 't-1' }), [
      'part r-1',
      'thread t-1',
    ]);
    assert.deepEqual(made(below('vectorStores', ''), { id: 'v-1' }), ['vector_store v-1']);
    assert.deepEqual(made(below('vectorStores', '/v-1/file_batches'), { id: 'b-1' }), ['part b-1']);
    assert.deepEqual(made(below('conversations', ''), { id: 'c-1' }), ['conversation c-1']);
    const items = { object: 'list', data: [{ id: 'i-1' }, { id: 'i-2' }] };
    assert.deepEqual(made(below('conversations', '/c-1/items'), items), ['part i-1', 'part i-2']);
  });
});

describe('what comes out of objects later', () => {
  const of = (endpoint: Endpoint, reply: JsonObject) =>
    outcomesIn(asked(endpoint, { method: 'GET' }), reply).map((found) => [
      found.of.id,
      ...found.made.map(({ id }) => id),
    ]);

  it('the files of a batch and of a fine-tuning job', () => {
    const batch = { id: 'b-1', output_file_id: 'f-1', error_file_id: 'f-2' };
    assert.deepEqual(of('retrieveBatch', batch), [['b-1', 'f-1', 'f-2']]);
    assert.deepEqual(of('cancelBatch', { id: 'b-1', output_file_id: null }), []);
    assert.deepEqual(of('retrieveFinetune', { id: 'j-1', result_files: ['f-1', 'f-2'] }), [['j-1', 'f-1', 'f-2']]);
    assert.deepEqual(of('listBatches', { data: [batch, { id: 'b-2' }] }), [['b-1', 'f-1', 'f-2']]);
    assert.deepEqual(of('listFinetunes', { data: [{ id: 'j-1', result_files: ['f-1'] }, null] }), [['j-1', 'f-1']]);
  });

  it('the items of a response that went on in the background', () => {
    const output = [{ type: 'reasoning', id: 'rs-1', encrypted_content: 'gAAAA' }];
    assert.deepEqual(of('getModelResponse', { id: 'r-1', output }), [['r-1', 'gAAAA', 'rs-1']]);
    assert.deepEqual(of('retrieveFile', { id: 'f-1', output_file_id: 'f-2' }), []);
  });
});

describe('what a reply says is gone', () => {
  it('files, responses, and the heads of trees', () => {
    const gone = { id: 'x', deleted: true };
    assert.equal(deletedIn(asked('deleteFile', { method: 'DELETE', params: { id: 'f-1' } }), gone), 'f-1');
    assert.equal(deletedIn(asked('deleteModelResponse', { method: 'DELETE', params: { id: 'r-1' } }), gone), 'r-1');
    assert.equal(deletedIn(below('threads', '/t-1', 'DELETE'), gone), 't-1');
  });

  it('not what was not deleted, nor a file that was only taken out of a vector store', () => {
    assert.equal(
      deletedIn(asked('deleteFile', { method: 'DELETE', params: { id: 'f-1' } }), { deleted: false }),
      undefined,
    );
    assert.equal(deletedIn(below('vectorStores', '/v-1/files/f-1', 'DELETE'), { deleted: true }), undefined);
    assert.equal(deletedIn(asked('retrieveFile', { params: { id: 'f-1' } }), { deleted: true }), undefined);
  });
});

describe('lists', () => {
  it('are those of a whole account', () => {
    for (const endpoint of ['listFiles', 'listBatches', 'listFinetunes'] as const) {
      assert.ok(listsObjects(asked(endpoint, { method: 'GET' })));
    }
    assert.ok(listsObjects(below('assistants', '', 'GET')));
    assert.ok(listsObjects(below('vectorStores', '/', 'GET')));
    assert.ok(!listsObjects(below('vectorStores', '/v-1/files', 'GET')));
    assert.ok(!listsObjects(below('assistants', '', 'POST')));
  });

  it('lose items, and the ends that name them', () => {
    const list = {
      object: 'list',
      data: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      first_id: 'a',
      last_id: 'c',
      has_more: true,
    };
    assert.deepEqual(withoutItems(list, new Set(['a', 'c'])), {
      object: 'list',
      data: [{ id: 'b' }],
      first_id: 'b',
      last_id: 'b',
      has_more: true,
    });
    assert.deepEqual(withoutItems(list, new Set(['a', 'b', 'c'])), {
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: true,
    });
    assert.deepEqual(withoutItems({ data: [{ id: 'a' }, 'odd'] }, new Set(['a'])), { data: ['odd'] });
  });
});

describe('what an event makes', () => {
  const ids = (endpoint: Endpoint, event: JsonObject, body: JsonObject = {}) =>
    madeInEvent(asked(endpoint, { body, params: { rest: '/runs' } }), event).map(({ id }) => id);

  it('a response by its first event, its items as they are done', () => {
    const created = { type: 'response.created', response: { id: 'r-1', store: true, output: [] } };
    assert.deepEqual(ids('createModelResponse', created), ['r-1']);
    assert.deepEqual(ids('createModelResponse', { ...created, response: { id: 'r-1' } }, { store: false }), []);
    const item = { type: 'reasoning', id: 'rs-1', encrypted_content: 'gAAAA' };
    assert.deepEqual(ids('createModelResponse', { type: 'response.output_item.done', item }), ['gAAAA', 'rs-1']);
    assert.deepEqual(ids('createModelResponse', { type: 'response.output_item.added', item }), []);
  });

  it('a thread and its run', () => {
    assert.deepEqual(ids('threads', { id: 't-1', object: 'thread' }), ['t-1']);
    assert.deepEqual(ids('threads', { id: 'r-1', object: 'thread.run', thread_id: 't-1' }), ['r-1', 't-1']);
    assert.deepEqual(ids('threads', { id: 'm-1', object: 'thread.message.delta' }), []);
  });

  it('a container', () => {
    assert.deepEqual(ids('messages', { type: 'message_delta', delta: { container: { id: 'c-1' } } }), ['c-1']);
    assert.deepEqual(ids('messages', { type: 'message_start', message: { container: { id: 'c-1' } } }), ['c-1']);
    assert.deepEqual(ids('messages', { type: 'message_stop' }), []);
  });
});
