import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkInput, createCheckHost, runCheck, testCheck } from 'portcullis/sdk/testing';
import log from '../../../guardrails/default/log.ts';
import { empty, manifest } from './replies.ts';

const logURL = 'https://logs.test/in';
const config = { logURL };

testCheck(log, {
  pass: [
    { text: 'Hello', config, host: { manifest, fetch: () => empty(200) } },
    { text: 'Hello', config, phase: 'afterRequest', host: { manifest, fetch: () => empty(204) } },
  ],
  error: [
    { name: 'a redirect', config, host: { fetch: () => empty(302) }, code: 'check_failed' },
    { name: 'a fault of the server', config, host: { fetch: () => empty(500) }, message: /status 500/ },
    { name: 'a server that cannot be reached', config, code: 'check_failed' },
  ],
  refused: [
    { config: {}, message: /logURL/ },
    { config: { logURL: 'ftp://logs.test' }, message: /logURL/ },
    { config: { logURL: 'https://user:pass@logs.test/' }, message: /logURL must be an absolute http or https URL/ },
    { config: { ...config, headers: 'not json' }, message: /headers must be an object/ },
    { config: { ...config, headers: '["a"]' }, message: /headers must be an object/ },
    { config: { ...config, headers: '{"a":1}' }, message: /headers\.a must be a string/ },
    { config: { ...config, headers: { 'a b': '1' } }, message: /header name/ },
    { config: { ...config, headers: { a: '1\r\nb: 2' } }, message: /headers\.a/ },
    { config: { ...config, headers: { Host: 'other.test' } }, message: /headers may not hold host/ },
  ],
});

describe('what log posts', () => {
  const given = {
    text: 'Hello',
    model: 'm-1',
    body: { messages: [{ role: 'user', content: 'Hello' }] },
    headers: { 'x-team': 'secret-team' },
    metadata: { _user: 'ada' },
    requestId: 'r-1',
    traceId: 't-1',
  };
  const posted = async (input: Parameters<typeof checkInput>[0], headers: string | Record<string, string>) => {
    const host = createCheckHost({ manifest, headers: { authorization: 'Bearer key' }, fetch: () => empty(200) });
    await runCheck(log, { logURL, headers }, checkInput(input), host);
    return host.fetched[0]?.request;
  };

  it('is the request, without its headers', async () => {
    const request = await posted(given, { 'X-Token': 'abc', 'Content-Type': 'text/plain' });
    assert.deepEqual(JSON.parse(request?.body ?? ''), {
      request: { json: given.body, text: 'Hello', isStreamingRequest: false, isTransformed: false },
      response: { json: {}, text: '', statusCode: null, isTransformed: false },
      provider: 'echo',
      requestType: 'chatComplete',
      metadata: { _user: 'ada' },
      eventType: 'beforeRequestHook',
      requestId: 'r-1',
      traceId: 't-1',
    });
    assert.deepEqual(request?.headers, { 'x-token': 'abc', 'content-type': 'application/json' });
  });

  it('is the reply beside what was last asked, after the request', async () => {
    const reply = { choices: [{ message: { content: 'Hi.' } }] };
    const request = await posted(
      { ...given, phase: 'afterRequest', text: 'Hi.', prompt: 'Hello', reply },
      '{"x-token":"abc"}',
    );
    const { request: asked, response, eventType } = JSON.parse(request?.body ?? '');
    assert.deepEqual(
      [asked.text, response, eventType],
      ['Hello', { json: reply, text: 'Hi.', statusCode: 200, isTransformed: false }, 'afterRequestHook'],
    );
    assert.equal(request?.headers?.['x-token'], 'abc');
  });

  it('says null in the place of the body of a stream', async () => {
    const request = await posted({ ...given, phase: 'afterRequest', text: 'Hi.', stream: true }, {});
    assert.deepEqual(JSON.parse(request?.body ?? '').response, {
      json: null,
      text: 'Hi.',
      statusCode: 200,
      isTransformed: false,
    });
  });

  it('says which part other guardrails have changed', async () => {
    for (const changed of [{ request: true }, { reply: true }] as const) {
      const request = await posted({ ...given, phase: 'afterRequest', text: 'Hi.', reply: {}, changed }, {});
      const told = JSON.parse(request?.body ?? '');
      assert.deepEqual(
        [told.request.isTransformed, told.response.isTransformed],
        ['request' in changed, 'reply' in changed],
      );
    }
  });
});
