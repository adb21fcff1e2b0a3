import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject, parseJson } from 'portcullis/sdk';
import { ask, askForm, jsonOf, objectIn, textOf } from './ask-echo.ts';

const upload = async (text: string, purpose = 'batch') =>
  objectIn(await askForm('/files', { purpose }, { file: text }));
const post = (path: string, body: JsonObject = {}) => jsonOf(path, body);

describe('the files of the echo', () => {
  it('are kept until they are deleted', async () => {
    const file = await upload('Hello', 'user_data');
    assert.deepEqual(
      [file.object, file.bytes, file.filename, file.purpose, file.status],
      ['file', 5, 'file.txt', 'user_data', 'processed'],
    );
    assert.deepEqual(await jsonOf(`/files/${file.id}`), file);
    assert.equal(await textOf(await ask(`/files/${file.id}/content`, undefined)), 'Hello');
    const deleted = await jsonOf(`/files/${file.id}`, undefined, 'DELETE');
    assert.deepEqual(deleted, { id: file.id, object: 'file', deleted: true });
    assert.equal((await ask(`/files/${file.id}/content`, undefined)).status, 404);
  });
  it('are listed newest first, page by page, by purpose', async () => {
    const ids: unknown[] = [];
    for (const text of ['a', 'b', 'c']) ids.unshift((await upload(text, 'vision')).id);
    const first = await jsonOf('/files?purpose=vision&limit=2');
    const second = await jsonOf(`/files?purpose=vision&limit=2&after=${first.last_id}`);
    const idsOf = (page: JsonObject) => asObjects(page.data).map(({ id }) => id);
    assert.deepEqual([idsOf(first), first.has_more], [ids.slice(0, 2), true]);
    assert.deepEqual([idsOf(second), second.has_more], [ids.slice(2), false]);
  });
  it('need a file', async () => assert.equal((await askForm('/files', { purpose: 'batch' })).status, 400));
});

describe('the batches of the echo', () => {
  const line = (custom_id: string, model: string) =>
    JSON.stringify({ custom_id, body: { model, messages: [{ role: 'user', content: custom_id }] } });
  const create = async (text: string) =>
    post('/batches', { input_file_id: (await upload(text)).id ?? '', endpoint: '/v1/chat/completions' });

  it('run when they are looked at', async () => {
    const created = await create(`${line('one', 'echo')}\n${line('two', 'echo-status-500')}\n`);
    assert.equal(created.status, 'validating');
    const done = await jsonOf(`/batches/${created.id}`);
    assert.deepEqual([done.status, done.request_counts], ['completed', { total: 2, completed: 1, failed: 1 }]);
    const output = asObject(parseJson(await textOf(await ask(`/files/${done.output_file_id}/content`, undefined))));
    const response = asObject(output?.response);
    assert.deepEqual([output?.custom_id, response?.status_code], ['one', 200]);
    assert.equal(asObject(asObjects(asObject(response?.body)?.choices)[0]?.message)?.content, 'one');
    assert.match(await textOf(await ask(`/files/${done.error_file_id}/content`, undefined)), /"custom_id":"two"/);
  });
  it('can be cancelled before that, and not behind it', async () => {
    const { id } = await create(line('one', 'echo'));
    assert.equal((await post(`/batches/${id}/cancel`)).status, 'cancelling');
    assert.equal((await jsonOf(`/batches/${id}`)).status, 'cancelled');
    assert.equal((await ask(`/batches/${id}/cancel`, {})).status, 409);
  });
  it('fail without a file', async () => {
    const { id } = await post('/batches', { input_file_id: 'file-none', endpoint: '/v1/embeddings' });
    assert.equal((await jsonOf(`/batches/${id}`)).status, 'failed');
  });
});

describe('the fine-tuning jobs of the echo', () => {
  it('succeed when they are looked at', async () => {
    const { id, status } = await post('/fine_tuning/jobs', { model: 'echo', training_file: 'file-1' });
    assert.equal(status, 'validating_files');
    const path = `/fine_tuning/jobs/${id}`;
    const before = asObjects((await jsonOf(`${path}/events`)).data).length;
    const done = await jsonOf(path);
    assert.deepEqual([done.object, done.status], ['fine_tuning.job', 'succeeded']);
    assert.deepEqual([before, asObjects((await jsonOf(`${path}/events`)).data).length], [1, 2]);
    assert.equal(asObjects((await jsonOf(`${path}/checkpoints`)).data)[0]?.fine_tuning_job_id, id);
    assert.equal((await ask(`${path}/cancel`, {})).status, 409);
  });
  it('can be cancelled before that', async () => {
    const { id } = await post('/fine_tuning/jobs', { model: 'echo', training_file: 'file-1' });
    assert.equal((await post(`/fine_tuning/jobs/${id}/cancel`)).status, 'cancelled');
    assert.equal((await jsonOf(`/fine_tuning/jobs/${id}`)).status, 'cancelled');
  });
});

describe('the threads of the echo', () => {
  const textsIn = (page: JsonObject) =>
    asObjects(page.data).map(({ content }) => asObject(asObjects(content)[0]?.text)?.value);

  it('repeat what the user wrote', async () => {
    const assistant = await post('/assistants', { model: 'echo', name: 'Tutor' });
    assert.equal((await post(`/assistants/${assistant.id}`, { name: 'Guard' })).name, 'Guard');
    const thread = await post('/threads', { messages: [{ role: 'user', content: 'Hello' }] });
    await post(`/threads/${thread.id}/messages`, { role: 'user', content: [{ type: 'text', text: 'Again' }] });
    const run = await post(`/threads/${thread.id}/runs`, { assistant_id: assistant.id ?? '' });
    assert.deepEqual([run.object, run.status, run.thread_id], ['thread.run', 'completed', thread.id]);
    const messages = await jsonOf(`/threads/${thread.id}/messages?order=asc`);
    assert.deepEqual(textsIn(messages), ['Hello', 'Again', 'Again']);
    const steps = await jsonOf(`/threads/${thread.id}/runs/${run.id}/steps`);
    assert.equal(asObjects(steps.data)[0]?.run_id, run.id);
    const deleted = await jsonOf(`/threads/${thread.id}`, undefined, 'DELETE');
    assert.deepEqual(deleted, { id: thread.id, object: 'thread.deleted', deleted: true });
    assert.equal((await ask(`/threads/${thread.id}/messages`, undefined)).status, 404);
  });
  it('stream a run, also one that brings its thread', async () => {
    const { id } = await post('/assistants', { model: 'echo' });
    const thread = { messages: [{ role: 'user', content: 'up down' }] };
    const run = await post('/threads/runs', { assistant_id: id ?? '', thread });
    assert.equal((await jsonOf(`/threads/${run.thread_id}/runs/${run.id}`)).id, run.id);
    const reply = await ask('/threads/runs', { assistant_id: id ?? '', thread, stream: true });
    const names = [...(await textOf(reply)).matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    assert.deepEqual(names.slice(0, 2), ['thread.run.created', 'thread.run.in_progress']);
    assert.deepEqual(names.slice(-2), ['thread.run.completed', 'done']);
  });
  it('need an assistant', async () => {
    const { id } = await post('/threads');
    assert.equal((await ask(`/threads/${id}/runs`, { assistant_id: 'asst_none' })).status, 404);
  });
  it('are not listed', async () => assert.equal((await ask('/threads', undefined)).status, 405));
});

describe('the stores of the echo', () => {
  it('are searched for words', async () => {
    const [gate, moat] = [await upload('The gate is shut.'), await upload('The moat is wet.')];
    const store = await post('/vector_stores', { name: 'Castle', file_ids: [gate.id ?? ''] });
    await post(`/vector_stores/${store.id}/files`, { file_id: moat.id ?? '' });
    assert.equal(asObject((await jsonOf(`/vector_stores/${store.id}`)).file_counts)?.total, 2);
    const found = await post(`/vector_stores/${store.id}/search`, { query: 'which gate' });
    assert.deepEqual(
      asObjects(found.data).map(({ file_id, score }) => [file_id, score]),
      [[gate.id, 0.5]],
    );
    const batch = await post(`/vector_stores/${store.id}/file_batches`, { file_ids: [gate.id ?? ''] });
    assert.equal(batch.status, 'completed');
    assert.equal(asObjects((await jsonOf(`/vector_stores/${store.id}/file_batches/${batch.id}/files`)).data).length, 2);
  });
  it('take no file that is not there', async () => {
    const { id } = await post('/vector_stores');
    assert.equal((await ask(`/vector_stores/${id}/files`, { file_id: 'file-none' })).status, 404);
  });
});

describe('the conversations of the echo', () => {
  it('keep their items', async () => {
    const items = [{ type: 'message', role: 'user', content: 'Hello!' }];
    const { id, object } = await post('/conversations', { metadata: { topic: 'demo' }, items });
    assert.equal(object, 'conversation');
    const added = await post(`/conversations/${id}/items`, { items: [...items, ...items] });
    assert.equal(asObjects(added.data).length, 2);
    const page = await jsonOf(`/conversations/${id}/items?limit=10`);
    assert.equal(asObjects(page.data).length, 3);
    assert.deepEqual(asObjects(page.data)[0]?.content, [{ type: 'input_text', text: 'Hello!' }]);
    assert.equal((await jsonOf(`/conversations/${id}`, undefined, 'DELETE')).deleted, true);
  });
});

describe('what the echo keeps', () => {
  it('is the last hundred of a kind', async () => {
    const { id } = await post('/assistants', { model: 'echo' });
    for (let count = 0; count < 100; count += 1) await post('/assistants', { model: 'echo' });
    assert.equal((await ask(`/assistants/${id}`, undefined)).status, 404);
  });
});
