import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type OpenAI from 'openai';
import { asObject, type Json } from 'portcullis/sdk';
import { replyOf, route, routesOf } from '../support/recorded-routes/cases.ts';
import { message, run, step, thread, threadRoutes } from '../support/recorded-routes/openai-assistants.ts';
import { openRecorded, plain, type RecordedWorld } from '../support/recorded-routes/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

const assistant = asObject(replyOf('openai', 'assistant-create')) ?? assert.fail('no assistant');
const store = asObject(replyOf('openai', 'vector-store-create')) ?? assert.fail('no store');
const found = asObject(replyOf('openai', 'vector-store-search')) ?? assert.fail('nothing found');
const page = (...data: Json[]): Json => ({ object: 'list', data, first_id: null, last_id: null, has_more: false });
const stored = {
  id: 'file-1',
  object: 'vector_store.file',
  created_at: 1699061776,
  vector_store_id: 'vs_abc123',
  status: 'completed',
  usage_bytes: 1234,
  last_error: null,
};
const counts = { in_progress: 0, completed: 1, failed: 0, cancelled: 0, total: 1 };
const fileBatch = {
  id: 'vsfb_1',
  object: 'vector_store.file_batch',
  created_at: 1699061776,
  vector_store_id: 'vs_abc123',
  status: 'completed',
  file_counts: counts,
};
const vs = '/v1/vector_stores/vs_abc123';
const item = {
  type: 'message',
  id: 'msg_abc',
  status: 'completed',
  role: 'user',
  content: [{ type: 'input_text', text: 'Hello!' }],
};

const routes = [
  ...threadRoutes,
  ...routesOf('openai', ['assistant-create', 'assistant-delete', 'vector-store-create', 'vector-store-search']),
  ...routesOf('openai', ['conversation-create', 'conversation-items']),
  route('GET', '/v1/assistants/asst_abc123', assistant),
  route('POST', '/v1/assistants/asst_abc123', { ...assistant, name: 'Tutor' }, { body: { name: 'Tutor' } }),
  route('GET', '/v1/assistants?order=desc&limit=20', page(assistant)),
  route('GET', vs, store),
  route('POST', vs, { ...store, name: 'FAQ' }, { body: { name: 'FAQ' } }),
  route('GET', '/v1/vector_stores', page(store)),
  route('DELETE', vs, { id: 'vs_abc123', object: 'vector_store.deleted', deleted: true }),
  route('POST', `${vs}/files`, { ...stored, status: 'in_progress' }, { body: { file_id: 'file-1' } }),
  route('GET', `${vs}/files/file-1`, stored),
  route('GET', `${vs}/files?filter=completed`, page(stored)),
  route('GET', `${vs}/files/file-1/content`, page({ type: 'text', text: 'Hello' })),
  route('DELETE', `${vs}/files/file-1`, { id: 'file-1', object: 'vector_store.file.deleted', deleted: true }),
  route('POST', `${vs}/file_batches`, fileBatch, { body: { file_ids: ['file-1'] } }),
  route('GET', `${vs}/file_batches/vsfb_1`, fileBatch),
  route('POST', `${vs}/file_batches/vsfb_1/cancel`, { ...fileBatch, status: 'cancelled' }),
  route('GET', `${vs}/file_batches/vsfb_1/files`, page(stored)),
  route('GET', '/v1/conversations/conv_123', {
    id: 'conv_123',
    object: 'conversation',
    created_at: 1741900000,
    metadata: {},
  }),
  route(
    'POST',
    '/v1/conversations/conv_123',
    { id: 'conv_123', object: 'conversation', created_at: 1741900000, metadata: { a: 'b' } },
    { body: { metadata: { a: 'b' } } },
  ),
  route('POST', '/v1/conversations/conv_123/items', page(item), {
    body: { items: [{ type: 'message', role: 'user', content: 'Hello!' }] },
  }),
  route('DELETE', '/v1/conversations/conv_123', { id: 'conv_123', object: 'conversation.deleted', deleted: true }),
];

describe('the openai SDK, with assistants, vector stores and conversations', () => {
  const scope = suiteScope();
  let world: RecordedWorld;
  let client: OpenAI;
  before(async () => {
    world = await openRecorded(scope, { openai: routes });
    client = world.gateway.openai();
  });

  it('keeps assistants', async () => {
    const { assistants } = client.beta;
    const created = await assistants.create({
      instructions: 'You are a personal math tutor.',
      name: 'Math Tutor',
      tools: [{ type: 'code_interpreter' }],
      model: 'gpt-4o',
    });
    assert.deepEqual(plain(created), assistant);
    assert.deepEqual(plain(await assistants.retrieve(created.id)), assistant);
    assert.equal((await assistants.update(created.id, { name: 'Tutor' })).name, 'Tutor');
    assert.deepEqual(plain(await Array.fromAsync(assistants.list({ order: 'desc', limit: 20 }))), [assistant]);
    assert.equal((await assistants.delete(created.id)).deleted, true);
    for (const { headers, path } of world.vendors.openai?.requests ?? [])
      assert.equal(headers['openai-beta'], 'assistants=v2', path);
  });

  it('keeps threads and their messages', async () => {
    const { threads } = client.beta;
    const { id } = await threads.create({ messages: [{ role: 'user', content: 'Hello' }] });
    assert.deepEqual(plain(await threads.retrieve(id)), thread);
    assert.deepEqual(plain(await threads.update(id, { metadata: { modified: 'true' } })), thread);
    const said = await threads.messages.create(id, { role: 'user', content: 'How does AI work?' });
    assert.deepEqual(plain(said), message);
    assert.deepEqual(plain(await threads.messages.retrieve(said.id, { thread_id: id })), message);
    assert.deepEqual(plain(await threads.messages.update(said.id, { thread_id: id, metadata: {} })), message);
    assert.deepEqual(plain(await Array.fromAsync(threads.messages.list(id, { order: 'asc' }))), [message]);
    assert.equal((await threads.messages.delete(said.id, { thread_id: id })).deleted, true);
    assert.equal((await threads.delete(id)).deleted, true);
  });

  it('runs threads, and waits for them', async () => {
    const { runs } = client.beta.threads;
    const place = { thread_id: 'thread_1' };
    const done = await runs.createAndPoll('thread_1', { assistant_id: 'asst_abc123' }, { pollIntervalMs: 1 });
    assert.deepEqual(plain(done), run);
    assert.deepEqual(plain((await runs.list('thread_1', { limit: 5 })).data), [run]);
    assert.equal((await runs.cancel('run_1', place)).status, 'cancelling');
    const outputs = { ...place, tool_outputs: [{ tool_call_id: 'call_1', output: '70' }] };
    assert.equal((await runs.submitToolOutputs('run_1', outputs)).status, 'completed');
    assert.deepEqual(plain(await Array.fromAsync(runs.steps.list('run_1', place))), [step]);
    assert.deepEqual(plain(await runs.steps.retrieve('step_1', { ...place, run_id: 'run_1' })), step);
  });

  it('streams a run', async () => {
    const stream = client.beta.threads.runs.stream('thread_1', { assistant_id: 'asst_abc123' });
    const text: string[] = [];
    stream.on('textDelta', ({ value }) => text.push(value ?? ''));
    assert.deepEqual(plain(await stream.finalRun()), run);
    const [answer] = await stream.finalMessages();
    assert.deepEqual(text, ['Hello', ' there']);
    assert.deepEqual(answer?.content, [{ type: 'text', text: { value: 'Hello there', annotations: [] } }]);
  });

  it('keeps vector stores, and searches them', async () => {
    const { vectorStores } = client;
    const created = await vectorStores.create({ name: 'Support FAQ' });
    assert.deepEqual(plain(created), store);
    assert.deepEqual(plain(await vectorStores.retrieve(created.id)), store);
    assert.equal((await vectorStores.update(created.id, { name: 'FAQ' })).name, 'FAQ');
    assert.deepEqual(plain(await Array.fromAsync(vectorStores.list())), [store]);
    const results = await vectorStores.search(created.id, { query: 'What is the return policy?' });
    assert.deepEqual(plain(results.data), found.data);
    assert.equal((await vectorStores.delete(created.id)).deleted, true);
  });

  it('fills vector stores with files, one by one and in batches', async () => {
    const { files, fileBatches } = client.vectorStores;
    const place = { vector_store_id: 'vs_abc123' };
    const added = await files.createAndPoll('vs_abc123', { file_id: 'file-1' }, { pollIntervalMs: 1 });
    assert.deepEqual(plain(added), stored);
    assert.deepEqual(plain(await Array.fromAsync(files.list('vs_abc123', { filter: 'completed' }))), [stored]);
    assert.deepEqual((await files.content('file-1', place)).data, [{ type: 'text', text: 'Hello' }]);
    assert.equal((await files.delete('file-1', place)).deleted, true);
    const batch = await fileBatches.createAndPoll('vs_abc123', { file_ids: ['file-1'] }, { pollIntervalMs: 1 });
    assert.deepEqual(plain(batch), fileBatch);
    assert.equal((await fileBatches.cancel(batch.id, place)).status, 'cancelled');
    assert.deepEqual(plain(await Array.fromAsync(fileBatches.listFiles(batch.id, place))), [stored]);
  });

  it('keeps conversations', async () => {
    const { conversations } = client;
    const said = { type: 'message', role: 'user', content: 'Hello!' } as const;
    const { id } = await conversations.create({ metadata: { topic: 'demo' }, items: [said] });
    assert.equal((await conversations.retrieve(id)).id, id);
    assert.deepEqual((await conversations.update(id, { metadata: { a: 'b' } })).metadata, { a: 'b' });
    assert.deepEqual(plain((await conversations.items.create(id, { items: [said] })).data), [item]);
    assert.deepEqual(plain(await Array.fromAsync(conversations.items.list(id, { limit: 10 }))), [item]);
    assert.equal((await conversations.delete(id)).deleted, true);
  });
});
