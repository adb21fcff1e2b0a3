import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Endpoint, JsonObject } from 'portcullis/sdk';
import { idsInRest } from '../../../core/affinity/ids-in-path.ts';
import { type ReferringRequest, referencesOf } from '../../../core/affinity/referred.ts';

const asked = (endpoint: Endpoint, more: Partial<ReferringRequest> = {}): ReferringRequest => ({
  endpoint,
  params: {},
  query: '',
  body: {},
  ...more,
});
const found = (request: ReferringRequest) => referencesOf(request).map(({ field, id, kind }) => [field, id, kind]);
const inBody = (endpoint: Endpoint, body: JsonObject) => found(asked(endpoint, { body }));
const below = (endpoint: Endpoint, rest: string, body: JsonObject = {}) =>
  found(asked(endpoint, { params: { rest }, body }));

describe('what a path refers to', () => {
  const kinds: readonly (readonly [Endpoint, string])[] = [
    ['retrieveFile', 'file'],
    ['deleteFile', 'file'],
    ['retrieveFileContent', 'file'],
    ['retrieveBatch', 'batch'],
    ['cancelBatch', 'batch'],
    ['getBatchOutput', 'batch'],
    ['retrieveFinetune', 'fine_tuning_job'],
    ['cancelFinetune', 'fine_tuning_job'],
    ['listFinetuneEvents', 'fine_tuning_job'],
    ['listFinetuneCheckpoints', 'fine_tuning_job'],
    ['getModelResponse', 'response'],
    ['deleteModelResponse', 'response'],
    ['cancelModelResponse', 'response'],
    ['listResponseInputItems', 'response'],
  ];
  for (const [endpoint, kind] of kinds) {
    it(`${endpoint}: the ${kind}`, () => {
      assert.deepEqual(found(asked(endpoint, { params: { id: 'x-1' } })), [['id', 'x-1', kind]]);
    });
  }

  it('every id below a thread, an assistant, a vector store and a conversation', () => {
    assert.deepEqual(below('threads', '/t-1/runs/r-1/steps/s-1'), [
      ['path', 't-1', 'thread'],
      ['path', 'r-1', 'part'],
      ['path', 's-1', 'part'],
    ]);
    assert.deepEqual(below('assistants', '/a-1'), [['path', 'a-1', 'assistant']]);
    assert.deepEqual(below('vectorStores', '/v-1/files/f-1/content'), [
      ['path', 'v-1', 'vector_store'],
      ['path', 'f-1', 'file'],
    ]);
    assert.deepEqual(below('vectorStores', '/v-1/file_batches/b-1/files'), [
      ['path', 'v-1', 'vector_store'],
      ['path', 'b-1', 'part'],
    ]);
    assert.deepEqual(below('conversations', '/c-1/items/i-1'), [
      ['path', 'c-1', 'conversation'],
      ['path', 'i-1', 'part'],
    ]);
    assert.deepEqual(below('threads', '/runs'), []);
    assert.deepEqual(below('threads', ''), []);
  });

  it('ids that are written in another way', () => {
    assert.deepEqual(idsInRest('//t-1/'), ['t-1']);
    assert.deepEqual(idsInRest('/./t-1'), ['t-1']);
    assert.deepEqual(idsInRest('/%74-1/runs'), ['t-1']);
    assert.deepEqual(idsInRest('/%zz'), ['%zz']);
    assert.deepEqual(idsInRest(undefined), []);
  });

  it('where a page of a list begins', () => {
    assert.deepEqual(found(asked('listFiles', { query: '?limit=2&after=f-1' })), [['after', 'f-1', 'file']]);
    assert.deepEqual(found(asked('listBatches', { query: '?after=' })), []);
    assert.deepEqual(found(asked('listFinetunes', { query: '?limit=2' })), []);
    assert.deepEqual(found(asked('assistants', { params: { rest: '' }, query: '?before=a-1' })), [
      ['before', 'a-1', 'assistant'],
    ]);
  });

  it('objects in the path of a request that passes untouched', () => {
    const proxied = (path: string) => found(asked('proxy', { params: { path } }));
    assert.deepEqual(proxied('v1/files/f-1/content'), [['path', 'f-1', 'file']]);
    assert.deepEqual(proxied('https://api.example.com/v1/responses/r%2D1'), [['path', 'r-1', 'response']]);
    assert.deepEqual(proxied('v1/chat/completions'), []);
    assert.deepEqual(proxied('v1/files'), []);
    assert.deepEqual(proxied('constructor/x'), []);
  });
});

describe('what a body refers to', () => {
  it('a batch its file, a fine-tuning job both of its files', () => {
    assert.deepEqual(inBody('createBatch', { input_file_id: 'f-1' }), [['input_file_id', 'f-1', 'file']]);
    assert.deepEqual(inBody('createFinetune', { training_file: 'f-1', validation_file: 'f-2' }), [
      ['training_file', 'f-1', 'file'],
      ['validation_file', 'f-2', 'file'],
    ]);
    assert.deepEqual(inBody('createFinetune', { training_file: 'f-1', validation_file: null }), [
      ['training_file', 'f-1', 'file'],
    ]);
  });

  it('a chat its files', () => {
    const content = [
      { type: 'text', text: 'what is it' },
      { type: 'file', file: { file_id: 'f-1' } },
      { type: 'file', file: { file_data: 'data:' } },
    ];
    assert.deepEqual(
      inBody('chatComplete', {
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content },
        ],
      }),
      [['messages[1].content[1].file.file_id', 'f-1', 'file']],
    );
    const plain = {
      messages: [
        { role: 'user', content: 'file_id' },
        { role: 'assistant', content: null },
      ],
    };
    assert.deepEqual(inBody('chatComplete', plain), []);
    assert.deepEqual(inBody('chatComplete', { messages: 'x', previous_response_id: 'r-1' }), []);
  });

  it('messages their files, also those in results of tools, and their container', () => {
    const document = { type: 'document', source: { type: 'file', file_id: 'f-1' } };
    const upload = { type: 'container_upload', file_id: 'f-2' };
    const result = { type: 'tool_result', tool_use_id: 't', content: [document] };
    assert.deepEqual(
      inBody('messages', { messages: [{ role: 'user', content: [upload, result] }], container: 'c-1' }),
      [
        ['messages[0].content[0].file_id', 'f-2', 'file'],
        ['messages[0].content[1].content[0].source.file_id', 'f-1', 'file'],
        ['container', 'c-1', 'container'],
      ],
    );
    assert.deepEqual(inBody('messages', { messages: [], container: { id: 'c-1', skills: [] } }), [
      ['container.id', 'c-1', 'container'],
    ]);
    assert.deepEqual(inBody('messagesCountTokens', { messages: [{ role: 'user', content: [document] }] }), [
      ['messages[0].content[0].source.file_id', 'f-1', 'file'],
    ]);
  });

  it('a response what came before it', () => {
    assert.deepEqual(inBody('createModelResponse', { input: 'x', previous_response_id: 'r-1', conversation: 'c-1' }), [
      ['previous_response_id', 'r-1', 'response'],
      ['conversation', 'c-1', 'conversation'],
    ]);
    assert.deepEqual(inBody('createModelResponse', { input: 'x', conversation: { id: 'c-1' } }), [
      ['conversation.id', 'c-1', 'conversation'],
    ]);
    assert.deepEqual(inBody('createModelResponse', { input: 'x', previous_response_id: null, conversation: null }), []);
  });

  it('a response the items of its input', () => {
    const input = [
      { role: 'user', content: 'x' },
      { type: 'reasoning', id: 'rs-1', summary: [], encrypted_content: 'gAAAA' },
      { type: 'reasoning', id: 'rs-2', summary: [] },
      { type: 'item_reference', id: 'msg-1' },
      { type: 'message', id: 'msg-2', role: 'assistant', content: [{ type: 'output_text', text: 'file_id' }] },
      {
        role: 'user',
        content: [
          { type: 'input_file', file_id: 'f-1' },
          { type: 'input_image', file_id: 'f-2' },
        ],
      },
      { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', file_id: 'f-3' } },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file', file_id: 'f-4' }] },
      { type: 'function_call_output', call_id: 'c', output: 'plain' },
      { type: 'code_interpreter_call', id: 'ci-1', container_id: 'cntr-1', code: '' },
    ];
    assert.deepEqual(inBody('createModelResponse', { input }), [
      ['input[1].encrypted_content', 'gAAAA', 'reasoning'],
      ['input[2].id', 'rs-2', 'item'],
      ['input[3].id', 'msg-1', 'item'],
      ['input[5].content[0].file_id', 'f-1', 'file'],
      ['input[5].content[1].file_id', 'f-2', 'file'],
      ['input[6].output.file_id', 'f-3', 'file'],
      ['input[7].output[0].file_id', 'f-4', 'file'],
      ['input[9].container_id', 'cntr-1', 'container'],
    ]);
  });

  it('no reasoning that the gateway made of an answer in another format', () => {
    const input = [{ type: 'reasoning', id: 'rs_gw_1', summary: [], encrypted_content: 'CiQB' }];
    assert.deepEqual(inBody('createModelResponse', { input }), []);
  });

  it('a response what its tools work on', () => {
    const tools = [
      { type: 'file_search', vector_store_ids: ['v-1', 'v-2'] },
      { type: 'code_interpreter', container: 'cntr-1' },
      { type: 'code_interpreter', container: { type: 'auto', file_ids: ['f-1'] } },
      { type: 'image_generation', input_image_mask: { file_id: 'f-2' } },
      { type: 'function', name: 'file_id', parameters: { properties: { file_id: { type: 'string' } } } },
    ];
    assert.deepEqual(inBody('createModelResponse', { input: 'x', tools }), [
      ['tools[0].vector_store_ids[0]', 'v-1', 'vector_store'],
      ['tools[0].vector_store_ids[1]', 'v-2', 'vector_store'],
      ['tools[1].container', 'cntr-1', 'container'],
      ['tools[2].container.file_ids[0]', 'f-1', 'file'],
      ['tools[3].input_image_mask.file_id', 'f-2', 'file'],
    ]);
  });

  it('an assistant, a thread, a run and a vector store what they are given', () => {
    const tool_resources = {
      code_interpreter: { file_ids: ['f-1'] },
      file_search: { vector_store_ids: ['v-1'], vector_stores: [{ file_ids: ['f-2'] }] },
    };
    const resources = (at: string) => [
      [`${at}tool_resources.code_interpreter.file_ids[0]`, 'f-1', 'file'],
      [`${at}tool_resources.file_search.vector_store_ids[0]`, 'v-1', 'vector_store'],
      [`${at}tool_resources.file_search.vector_stores[0].file_ids[0]`, 'f-2', 'file'],
    ];
    assert.deepEqual(below('assistants', '', { model: 'm', tool_resources }), resources(''));
    const message = { role: 'user', content: 'x', attachments: [{ file_id: 'f-3', tools: [] }] };
    assert.deepEqual(below('threads', '', { messages: [message], tool_resources }), [
      ['messages[0].attachments[0].file_id', 'f-3', 'file'],
      ...resources(''),
    ]);
    assert.deepEqual(
      below('threads', '/runs', { assistant_id: 'a-1', thread: { messages: [message], tool_resources } }),
      [
        ['assistant_id', 'a-1', 'assistant'],
        ['thread.messages[0].attachments[0].file_id', 'f-3', 'file'],
        ...resources('thread.'),
      ],
    );
    const picture = { type: 'image_file', image_file: { file_id: 'f-4' } };
    assert.deepEqual(below('threads', '/t-1/messages', { role: 'user', content: [picture], attachments: null }), [
      ['path', 't-1', 'thread'],
      ['content[0].image_file.file_id', 'f-4', 'file'],
    ]);
    assert.deepEqual(below('vectorStores', '/v-1/files', { file_id: 'f-1' }), [
      ['path', 'v-1', 'vector_store'],
      ['file_id', 'f-1', 'file'],
    ]);
    assert.deepEqual(below('vectorStores', '', { file_ids: ['f-1', 7, null] }), [['file_ids[0]', 'f-1', 'file']]);
    assert.deepEqual(below('vectorStores', '/v-1/file_batches', { files: [{ file_id: 'f-1' }] }), [
      ['path', 'v-1', 'vector_store'],
      ['files[0].file_id', 'f-1', 'file'],
    ]);
    assert.deepEqual(below('conversations', '', { items: [{ type: 'item_reference', id: 'i-1' }] }), [
      ['items[0].id', 'i-1', 'item'],
    ]);
  });

  it('nothing: one and the same list', () => {
    const plain = asked('chatComplete', { body: { messages: [{ role: 'user', content: 'x' }] } });
    assert.equal(referencesOf(plain), referencesOf(asked('embed', { body: { input: 'x' } })));
    assert.equal(referencesOf(plain), referencesOf(asked('uploadFile')));
  });
});
