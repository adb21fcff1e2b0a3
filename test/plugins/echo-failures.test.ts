import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject, parseJson } from 'portcullis/sdk';
import { createGateway, type Gateway } from '../../core/gateway.ts';
import { silentLog, testConfig } from '../../sdk/testing/test-gateway.ts';
import { ask, messages, streamed, textOf } from './ask-echo.ts';

describe('the failures of the echo', () => {
  it('fails with the status and the words of the dialect', async () => {
    const reply = await ask('/messages', { model: 'echo-status-429', messages, max_tokens: 1 });
    assert.equal(reply.status, 429);
    assert.equal(reply.headers['retry-after'], '1');
    assert.deepEqual(asObject(asObject(parseJson(await textOf(reply)))?.error)?.type, 'rate_limit_error');
  });
  it('waits, and leaves when the request is aborted', async () => {
    const leaving = new AbortController();
    const waiting = ask('/chat/completions', { model: 'echo-delay-3600000', messages }, { signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await assert.rejects(waiting, /gone/);
  });
  it('pauses between chunks until the request is aborted', async () => {
    const leaving = new AbortController();
    const reply = await ask(
      '/chat/completions',
      { model: 'echo-chunk-delay-3600000', messages, stream: true },
      { signal: leaving.signal },
    );
    const chunks = reply.body[Symbol.asyncIterator]();
    assert.equal((await chunks.next()).done, false);
    const second = chunks.next();
    leaving.abort(new Error('gone'));
    await assert.rejects(second, /gone/);
  });
  it('breaks a stream off after two events', async () => {
    await assert.rejects(streamed('echo-close'), /closed the connection/);
  });
  it('sends a third event that is no JSON', async () => {
    const events = (await streamed('echo-malformed')).trim().split('\n\n');
    assert.equal(events.length, 3);
    assert.equal(parseJson(String(events[2]).slice('data: '.length)), undefined);
  });
  it('leaves the final event out', async () => {
    assert.ok((await streamed('echo')).endsWith('data: [DONE]\n\n'));
    assert.ok(!(await streamed('echo-truncate')).includes('[DONE]'));
    assert.ok(!(await streamed('echo-truncate', '/messages')).includes('message_stop'));
  });
  it('begins a stream with an overload', async () => {
    assert.match(await streamed('echo-overload', '/messages'), /^event: error\ndata: .*overloaded_error/);
  });
  it('sends nothing at all', async () => assert.equal(await streamed('echo-empty'), ''));
  for (const model of ['echo-malformed', 'echo-truncate', 'echo-empty']) {
    it(`${model} gives a whole reply that is no JSON`, async () => {
      assert.equal(parseJson(await textOf(await ask('/chat/completions', { model, messages }))), undefined);
    });
  }
  it('answers a body that is no object with 400', async () => {
    assert.equal((await ask('/chat/completions', undefined, { method: 'POST' })).status, 400);
  });
});

describe('the echo behind the gateway', () => {
  let gateway: Gateway;
  let url: string;
  before(async () => {
    gateway = await createGateway(testConfig({ echo: { provider: 'echo' } }, 'echo'), {
      log: silentLog,
      env: () => undefined,
    });
    url = (await gateway.listen()).url;
  });
  after(() => gateway.close());

  const post = (path: string, body: JsonObject) =>
    fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const whole: readonly (readonly [string, JsonObject, number])[] = [
    ['/v1/chat/completions', { model: 'echo', messages }, 200],
    ['/v1/messages', { model: 'echo', messages, max_tokens: 10 }, 200],
    ['/v1/responses', { model: 'echo', input: 'Hello' }, 200],
    ['/v1/chat/completions', { model: 'echo-status-503', messages }, 503],
    ['/v1/chat/completions', { model: 'echo-close', messages }, 502],
    ['/v1/chat/completions', { model: 'echo-overload', messages, stream: true }, 529],
    ['/v1/chat/completions', { model: 'echo-empty', messages, stream: true }, 502],
  ];
  for (const [path, body, status] of whole) {
    it(`gives ${status} for ${body.model} at ${path}`, async () => {
      const reply = await post(path, body);
      await reply.text();
      assert.equal(reply.status, status);
    });
  }
  it('streams a megabyte', async () => {
    const reply = await post('/v1/chat/completions', { model: 'echo-large-1000', messages, stream: true });
    const events = (await reply.text()).trim().split('\n\n');
    const text = events
      .map(
        (event) =>
          asObject(asObjects(asObject(parseJson(event.slice('data: '.length)))?.choices)[0]?.delta)?.content ?? '',
      )
      .join('');
    assert.equal(text.length, 1_000_000);
  });
  it('refuses the missing model', async () =>
    assert.equal((await post('/v1/chat/completions', { messages })).status, 400));
});
