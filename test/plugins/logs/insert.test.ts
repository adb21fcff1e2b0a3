import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { logWorld, refused } from './world.ts';

const chat: JsonObject = {
  request: {
    url: 'https://api.example.com/v1/chat/completions?key=secret',
    provider: 'openai',
    method: 'post',
    headers: { Authorization: 'Bearer sk-123', accept: 'text/plain' },
    body: { model: 'gpt-asked', messages: [{ role: 'user', content: 'hi' }] },
  },
  response: {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { model: 'gpt-served', choices: [], usage: { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 } },
    response_time: 140,
  },
  metadata: { trace_id: 'trace-9', span_name: 'step', team: 'red', _user: 'ann', n: 3 },
};

const spent = { prompt_tokens: 1000, completion_tokens: 1000 };

/** Sends logs, and gives the entries that were written. */
async function sender(t: TestContext) {
  const world = await logWorld(t);
  const { control, key, logs } = world;
  return {
    ...world,
    send: async (body: unknown, headers: Readonly<Record<string, string>> = {}) => {
      const reply = await control.ok('POST', '/v1/logs', { as: key, headers, body: body as JsonObject });
      const ids = reply.ids as readonly string[];
      return Promise.all(ids.map(async (id) => (await logs.find(control.organisationId, id)) ?? assert.fail(id)));
    },
  };
}

describe('a log that a client sends', () => {
  it('has a path without the user and password of its address', async (t) => {
    const { send } = await sender(t);
    const log = { ...chat, request: { body: {}, url: 'https://user:p@ss@host.example/v1/a@b?key=1' } };
    const [entry] = await send(log);
    assert.equal(entry?.row.path, 'https://host.example/v1/a@b');
  });

  it('has no credential in its bodies and metadata', async (t) => {
    const { send } = await sender(t);
    const secret = { tools: [{ authorization: 's3cret' }] };
    const [object, text] = await send([
      { ...chat, request: { ...(chat.request as JsonObject), body: secret }, metadata: { api_key: 's3cret' } },
      { ...chat, response: { ...(chat.response as JsonObject), body: JSON.stringify(secret) } },
    ]);
    const shown = JSON.stringify([object, text]);
    assert.match(shown, /authorization/);
    assert.doesNotMatch(shown, /s3cret/);
  });

  it('has its tokens and model from what was replied, and no credential', async (t) => {
    const { send, workspaceId } = await sender(t);
    const [entry] = await send(chat);
    const row = entry?.row;
    assert.equal(row?.workspaceId, workspaceId);
    assert.equal(row?.path, 'https://api.example.com/v1/chat/completions');
    assert.deepEqual(
      [row?.provider, row?.model, row?.requestedModel, row?.method],
      ['openai', 'gpt-served', 'gpt-asked', 'POST'],
    );
    assert.deepEqual([row?.inputTokens, row?.outputTokens, row?.totalTokens, row?.durationMs], [12, 8, 20, 140]);
    assert.deepEqual([row?.traceId, row?.spanName, row?.user, row?.source], ['trace-9', 'step', 'ann', 'insert']);
    assert.deepEqual(row?.metadata, { team: 'red', _user: 'ann', n: '3' });
    assert.deepEqual(entry?.bodies?.request.headers, { authorization: '*****', accept: 'text/plain' });
  });

  for (const [what, url, body, tokens] of [
    ['messages', '/v1/messages', { usage: { input_tokens: 5, output_tokens: 2 } }, [5, 2]],
    ['responses', '/v1/responses', { usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 } }, [5, 2]],
    [
      'generated content',
      '/v1beta/models/g:generateContent',
      { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 } },
      [5, 2],
    ],
    ['chat of Cohere', '/v2/chat', { usage: { tokens: { input_tokens: 5, output_tokens: 2 } } }, [5, 2]],
    ['converse', '/model/m/converse', { usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } }, [5, 2]],
    ['a known format at another path', '/chat', { usage: { inputTokens: 5, outputTokens: 2 } }, [5, 2]],
    ['counts of no known format', '/v1/other', { usage: { words: 5 } }, [null, null]],
    ['embeddings', '/v1/embeddings', { data: [], usage: { prompt_tokens: 5, total_tokens: 5 } }, [5, 0]],
    [
      'a stream as a list of events',
      '/v1/messages',
      [
        { type: 'message_start', message: { model: 'm', usage: { input_tokens: 5, output_tokens: 1 } } },
        { type: 'message_delta', delta: {}, usage: { output_tokens: 2 } },
      ],
      [5, 2],
    ],
    [
      'a stream as text',
      '/v1/chat/completions',
      'data: {"choices":[]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}\n\ndata: [DONE]\n\n',
      [5, 2],
    ],
    ['nothing that is known', '/v1/other', 'plain text', [null, null]],
  ] as const) {
    it(`is counted for ${what}`, async (t) => {
      const { send } = await sender(t);
      const [entry] = await send({ request: { url, body: {} }, response: { body: body as unknown as JsonObject } });
      assert.deepEqual([entry?.row.inputTokens, entry?.row.outputTokens], tokens);
      assert.equal(entry?.row.stream, Array.isArray(body) || (typeof body === 'string' && body.startsWith('data:')));
    });
  }

  for (const [path, model] of [
    ['/v1beta/models/gemini-2.5-flash:generateContent?key=k', 'gemini-2.5-flash'],
    ['/v1beta/models/gemini-2.5-flash:streamGenerateContent', 'gemini-2.5-flash'],
    ['/model/anthropic.claude-opus-4-6-v1%3A0/converse-stream', 'anthropic.claude-opus-4-6-v1:0'],
    ['/model/100%/converse', '100%'],
    ['/v1/models', null],
  ] as const) {
    it(`has the model of its path, where nothing else names one: ${path}`, async (t) => {
      const { send } = await sender(t);
      const [entry] = await send({
        request: { url: `https://api.example.com${path}`, body: {} },
        response: { body: {} },
      });
      assert.deepEqual([entry?.row.model, entry?.row.requestedModel], [model, model]);
    });
  }

  const counts = { input_tokens: 1000, output_tokens: 1000 };
  const start = { model: 'claude-opus-4-6', usage: { ...counts, inference_geo: 'us' } };
  const chunk = { model: 'gpt-5.4-nano', service_tier: 'flex', choices: [] };
  for (const [what, provider, path, body, nanoUsd] of [
    ['the tier of a reply', 'openai', 'chat/completions', { ...chunk, usage: spent }, 725_000],
    ['the tier of a stream', 'openai', 'chat/completions', [chunk, { choices: [], usage: spent }], 725_000],
    ['the tier of a reply of no known format', 'openai', 'other', { ...chunk, usage: spent }, 725_000],
    ['the region of a reply', 'anthropic', 'messages', start, 33_000_000],
    [
      'the region of a stream',
      'anthropic',
      'messages',
      [
        { type: 'message_start', message: start },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1000 } },
      ],
      33_000_000,
    ],
  ] as const) {
    it(`costs what it does in ${what}`, async (t) => {
      const { send } = await sender(t);
      const request = { url: `https://api.example.com/v1/${path}`, provider, body: {} };
      const [entry] = await send({ request, response: { body: body as unknown as JsonObject } });
      assert.equal(entry?.row.costNanoUsd, nanoUsd);
    });
  }

  it('may be one of a list, and faults name their place in it', async (t) => {
    const { send, control, key } = await sender(t);
    assert.equal((await send([chat, chat])).length, 2);
    for (const [body, param] of [
      [{}, 'request'],
      [{ request: { body: {} }, response: { body: {} } }, 'request.url'],
      [[chat, { ...chat, response: {} }], '[1].response.body'],
      [{ ...chat, response: { body: {}, status: 99 } }, 'response.status'],
      [{ ...chat, metadata: { a: {} } }, 'metadata.a'],
      [{ ...chat, metadata: Object.fromEntries(Array.from({ length: 129 }, (_, name) => [name, 'x'])) }, 'metadata'],
      [[], 'logs'],
    ] as const)
      assert.deepEqual(await refused(control, 'POST', '/v1/logs', { as: key, body: body as unknown as JsonObject }), [
        400,
        param,
      ]);
  });

  it('needs both permissions, and a workspace', async (t) => {
    const { control, key, workspaceId } = await sender(t);
    for (const scopes of [['logs.write'], ['completions.write']])
      assert.equal((await control.call('POST', '/v1/logs', { as: { ...key, scopes }, body: chat })).status, 403);
    assert.deepEqual(await refused(control, 'POST', '/v1/logs', { body: chat }), [400, 'workspace_id']);
    await control.ok('POST', `/v1/logs?workspace_id=${workspaceId}`, { body: chat });
  });

  it('keeps what was said only where the workspace keeps that, and the request has nothing against it', async (t) => {
    const { send, control } = await sender(t);
    assert.equal((await send(chat, { 'x-gw-debug': 'false' }))[0]?.bodies, undefined);
    await control.ok('PUT', '/v1/organisation', { body: { settings: { debug_log: 0 } } });
    assert.equal((await send(chat))[0]?.bodies, undefined);
  });

  it('is nowhere in the audit log', async (t) => {
    const { send, control } = await sender(t);
    await send(chat);
    const { records } = await control.ok('GET', '/v1/audit-logs');
    assert.deepEqual(
      (records as JsonObject[]).filter(({ uri }) => uri === '/v1/logs'),
      [],
    );
  });
});
