import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject, parseJson } from 'portcullis/sdk';
import { readModelName } from '../../providers/echo/model-name.ts';
import { ask, jsonOf, messages, textOf } from './ask-echo.ts';

describe('the other endpoints of the echo', () => {
  it('keeps responses until they are deleted', async () => {
    const created = await jsonOf('/responses', { model: 'echo', input: 'Hello' });
    const path = `/responses/${created.id}`;
    assert.deepEqual(await jsonOf(path), created);
    const items = await jsonOf(`${path}/input_items`);
    assert.deepEqual(
      asObjects(items.data).map(({ content }) => content),
      [[{ type: 'input_text', text: 'Hello' }]],
    );
    assert.equal((await jsonOf(path, undefined, 'DELETE')).deleted, true);
    assert.equal((await ask(path, undefined)).status, 404);
  });
  it('keeps of a stream what it ended with', async () => {
    const request = { model: 'echo-think', input: 'Hello', stream: true };
    const events = (await textOf(await ask('/responses', request))).trim().split('\n\n');
    const last = asObject(parseJson(String(events.at(-1)?.split('\ndata: ')[1])));
    const ended = asObject(last?.response) ?? {};
    assert.equal(ended.status, 'completed');
    assert.deepEqual((await jsonOf(`/responses/${ended.id}`)).output, ended.output);
  });
  it('pages through input items, newest first', async () => {
    const input = ['a', 'b', 'c'].map((content) => ({ role: 'user', content }));
    const { id } = await jsonOf('/responses', { model: 'echo', input });
    const first = await jsonOf(`/responses/${id}/input_items?limit=2`);
    const second = await jsonOf(`/responses/${id}/input_items?limit=2&after=${first.last_id}`);
    const texts = (page: JsonObject) => asObjects(page.data).map(({ content }) => asObjects(content)[0]?.text);
    assert.deepEqual([texts(first), first.has_more, texts(second), second.has_more], [['c', 'b'], true, ['a'], false]);
  });
  it('forgets responses that are not to be stored, and all but the last hundred', async () => {
    const { id } = await jsonOf('/responses', { model: 'echo', input: 'Hello', store: false });
    assert.equal((await ask(`/responses/${id}`, undefined)).status, 404);
    const kept = await jsonOf('/responses', { model: 'echo', input: 'Hello' });
    for (let count = 0; count < 100; count += 1) await jsonOf('/responses', { model: 'echo', input: 'Hello' });
    assert.equal((await ask(`/responses/${kept.id}`, undefined)).status, 404);
  });
  it('refuses to continue a response that it does not know', async () => {
    const reply = await ask('/responses', { model: 'echo', input: 'Hello', previous_response_id: 'resp_none' });
    assert.equal(reply.status, 400);
    assert.match(await textOf(reply), /previous_response_id/);
  });
  it('counts tokens', async () => {
    assert.deepEqual(await jsonOf('/messages/count_tokens', { model: 'echo', messages }), { input_tokens: 8 });
  });
  it('embeds the same text in the same place, in floats or base64', async () => {
    const one = await jsonOf('/embeddings', { model: 'echo', input: ['a', 'b', 'a'], dimensions: 3 });
    const [first, second, third] = asObjects(one.data).map(({ embedding }) => embedding as readonly number[]);
    assert.deepEqual(first, third);
    assert.notDeepEqual(first, second);
    const length = Math.hypot(...(first ?? []));
    assert.ok(Math.abs(length - 1) < 1e-9);
    const coded = await jsonOf('/embeddings', { model: 'echo', input: 'a', encoding_format: 'base64' });
    assert.equal(Buffer.from(String(asObjects(coded.data)[0]?.embedding), 'base64').length, 8 * 4);
  });
  for (const dimensions of [0, 1.5, 5000]) {
    it(`refuses ${dimensions} dimensions`, async () => {
      assert.equal((await ask('/embeddings', { model: 'echo', input: 'a', dimensions })).status, 400);
    });
  }
  it('completes a prompt', async () => {
    assert.equal(asObjects((await jsonOf('/completions', { model: 'echo', prompt: 'abc' })).choices)[0]?.text, 'abc');
  });
  it('lists models that it understands', async () => {
    const models = asObjects((await jsonOf('/models')).data);
    assert.ok(models.length > 5);
    assert.deepEqual(
      models.filter(({ id }) => typeof readModelName(String(id)) === 'string'),
      [],
    );
  });
  it('mirrors other paths without credentials', async () => {
    assert.deepEqual(await jsonOf('/some/where?x=1', { a: 1 }), {
      method: 'POST',
      path: '/some/where?x=1',
      headers: { 'x-mine': 'shown' },
      body: { a: 1 },
    });
  });
});
