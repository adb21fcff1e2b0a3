import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { errorOf, guarded, resultsOf, without } from '../plugins/guardrails/guarded.ts';
import { saved } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { fileOf, line, linesIn, says, send } from './batches-world.ts';

noUnhandledRejections();

const swap = (from: string, to: string) => ({ 'test-probe.swaps': { from, to } });
const by = (config: JsonObject) => ({ 'x-gw-config': JSON.stringify({ provider: 'echo', ...config }) });
const denies = { ...without('bad'), deny: true };

async function contentOf(url: string, id: unknown, headers = by({})): Promise<string> {
  const reply = await fetch(`${url}/v1/files/${String(id)}/content`, { headers });
  assert.equal(reply.status, 200);
  return reply.text();
}

describe('a file of batch requests, where guardrails hold', () => {
  it('is refused when a line is denied, with the number and the custom_id of the first', async (t) => {
    const { url } = await guarded(t);
    const lines = [line('one', says('good')), '', line('two', says('so bad')), line('three', says('bad too'))];
    const reply = await send(url, fileOf(lines), by({ input_guardrails: [denies] }));
    assert.equal(reply.status, 446, reply.text);
    const { message, type } = errorOf(reply);
    assert.match(String(message), /^Line 3 \(custom_id "two"\) of the file was denied: /);
    assert.equal(type, 'hooks_failed');
    assert.equal(resultsOf(reply)[0]?.verdict, false);
    assert.equal((await send(url, fileOf([lines[0] ?? '']), by({ input_guardrails: [denies] }))).status, 200);
  });

  const routes: readonly [string, JsonObject][] = [
    ['/v1/chat/completions', says('bad')],
    ['/chat/completions', says('bad')],
    ['/v1/completions', { model: 'm', prompt: 'so bad' }],
    ['/v1/embeddings', { model: 'm', input: ['bad'] }],
    ['/v1/responses', { model: 'm', input: 'bad' }],
    ['/v1/messages', says('bad', { max_tokens: 9 })],
    ['/v1/images/generations', { model: 'm', prompt: 'bad' }],
    ['/v1/moderations', { model: 'm', input: 'bad' }],
    ['/v1/rerank', { model: 'm', query: 'bad', documents: ['x'] }],
  ];
  it('has each line judged as a request of its url', async (t) => {
    const { url } = await guarded(t);
    for (const [path, body] of routes) {
      const reply = await send(url, fileOf([line('a', body, path)]), by({ input_guardrails: [denies] }));
      assert.equal(reply.status, 446, `${path}: ${reply.text}`);
    }
  });

  it('leaves with what mutators have made of its lines, and everything else as it was', async (t) => {
    const { url } = await guarded(t);
    const lines = [line('one', says('the old one', { seed: 5 })), line('two', says('ä nothing'))];
    const reply = await send(
      url,
      `\ufeff${fileOf(lines).replaceAll('\n', '\r\n')}`,
      by({ input_mutators: [swap('old', 'new')] }),
    );
    assert.equal(reply.status, 200, reply.text);
    const sent = linesIn(await contentOf(url, reply.json.id));
    assert.deepEqual(sent, [line('one', says('the new one', { seed: 5 })), lines[1]]);
    assert.equal(reply.json.filename, 'lines.jsonl');
  });

  it('leaves as what was looked at: of a key that stands twice only the last', async (t) => {
    const { url } = await guarded(t);
    const twice =
      '{"custom_id":"a","method":"POST","url":"/v1/completions","body":{"prompt":"bad","prompt":"good","model":"m"}}\n';
    const reply = await send(url, twice, by({ input_guardrails: [denies] }));
    assert.equal(reply.status, 200, reply.text);
    assert.doesNotMatch(await contentOf(url, reply.json.id), /bad/);
  });

  const faults: readonly [string, string, RegExp][] = [
    ['no JSON', 'nonsense', /^Line 2 of the file is no JSON object\.$/],
    [
      'an unknown url',
      JSON.stringify(line('x', says('a'), '/v1/audio/speech')),
      /^Line 2 \(custom_id "x"\) of the file has no url that is known/,
    ],
    [
      'no body',
      JSON.stringify({ custom_id: 'x', method: 'POST', url: '/v1/embeddings' }),
      /needs the method POST and a body/,
    ],
    ['another method', JSON.stringify({ ...line('x', says('a')), method: 'GET' }), /needs the method POST and a body/],
  ];
  for (const [what, text, message] of faults) {
    it(`is refused for a line with ${what}; without guardrails it is its provider's to judge`, async (t) => {
      const { url } = await guarded(t);
      const file = fileOf([line('one', says('good')), text]);
      const reply = await send(url, file, by({ input_guardrails: [denies] }));
      assert.equal(reply.status, 400, reply.text);
      assert.match(String(errorOf(reply).message), message);
      const free = await send(url, file, by({}));
      assert.equal(free.status, 200);
      assert.equal(await contentOf(url, free.json.id), file, 'as it came');
    });
  }

  it('is judged by defaults too, and files of other purposes pass unread', async (t) => {
    const guardrails = {
      words: {
        checks: [{ id: 'default.contains', parameters: { operator: 'none', words: ['bad'] } }],
        actions: { deny: true },
      },
    };
    const { url } = await guarded(t, { guardrails, defaultGuardrails: { input: ['words'] } });
    assert.equal((await send(url, fileOf([line('a', says('bad'))]), by({}))).status, 446);
    const other = await send(url, 'whatever', by({}), 'user_data');
    assert.equal(other.status, 446, 'closed: what nobody reads counts as denied');
  });

  it('asks each target of a fallback, by its own guardrails', async (t) => {
    const { url } = await guarded(t);
    const config = {
      strategy: { mode: 'fallback', on_status_codes: [446] },
      targets: [
        { provider: 'echo', input_guardrails: [denies] },
        { provider: 'echo', input_mutators: [swap('bad', 'mended')] },
      ],
    };
    const reply = await send(url, fileOf([line('a', says('bad'))]), { 'x-gw-config': JSON.stringify(config) });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(linesIn(await contentOf(url, reply.json.id)), [line('a', says('mended'))]);
  });

  it('is refused for a model that the saved provider does not serve, guardrails or not', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: { id: 'file-1', object: 'file' } });
    const providers = { some: saved('openai', `${peer.origin}/v1`, { api_key: 'k' }, ['m']) };
    const { url } = await guarded(t, { providers });
    const headers = { 'x-gw-virtual-key': 'some' };
    const reply = await send(url, fileOf([line('a', says('x')), line('b', says('x', { model: 'other' }))]), headers);
    assert.equal(reply.status, 400, reply.text);
    assert.match(
      String(errorOf(reply).message),
      /^Line 2 \(custom_id "b"\) of the file: .*does not serve the model "other"/,
    );
    assert.equal(peer.requests.length, 0);
    assert.equal((await send(url, fileOf([line('a', says('x'))]), headers)).status, 200);
    assert.match(peer.requests[0]?.bytes.toString() ?? '', /name="purpose"\r\n\r\nbatch/);
  });

  it('is sent anew, whole, by each retry', async (t) => {
    const peer = await startPeer(t);
    peer.next({ status: 500, body: { error: { message: 'no' } } }, { body: { id: 'file-1', object: 'file' } });
    const { url } = await guarded(t);
    const config = by({
      provider: 'openai',
      api_key: 'k',
      custom_host: `${peer.origin}/v1`,
      retry: { attempts: 1 },
      input_mutators: [swap('old', 'new')],
    });
    assert.equal((await send(url, fileOf([line('a', says('old'))]), config)).status, 200);
    const [first, second] = peer.requests.map(({ bytes }) => bytes.toString());
    assert.equal(first, second);
    assert.match(String(first), /"content":"new"/);
  });

  it('is given up when its client leaves, and others are served meanwhile', async (t) => {
    const { url } = await guarded(t);
    const hook = await startPeer(t);
    hook.always({ before: delay(0).then(() => delay(20)), body: { verdict: true } });
    const leaving = new AbortController();
    const form = new FormData();
    form.set('purpose', 'batch');
    const lines = Array.from({ length: 10_000 }, (_, index) => line(`${index}`, says('slow')));
    form.set('file', new Blob([fileOf(lines)]), 'x.jsonl');
    const check = { 'default.webhook': { webhookURL: `${hook.origin}/judge` }, deny: true };
    const headers = by({ input_guardrails: [check] });
    const reply = fetch(`${url}/v1/files`, { method: 'POST', body: form, headers, signal: leaving.signal });
    reply.catch(() => {});
    await hook.request(30);
    assert.equal((await fetch(`${url}/v1/health`)).status, 200);
    assert.ok(hook.requests.length < lines.length, 'meanwhile');
    leaving.abort();
    await assert.rejects(reply);
    for (let asked = -1; asked !== hook.requests.length; await delay(200)) asked = hook.requests.length;
    assert.ok(hook.requests.length < 5_000, `${hook.requests.length} lines were asked for`);
  });
});

describe('the output of a batch, where guardrails hold', () => {
  /** A provider whose one file is this. */
  async function world(
    t: TestContext,
    content: string | Uint8Array,
    more: { readonly pieceBytes?: number; readonly headers?: Record<string, string>; readonly status?: number } = {},
  ) {
    const peer = await startPeer(t);
    peer.always(({ url }) =>
      url.includes('/batches/')
        ? { body: { id: 'batch_1', object: 'batch', status: 'completed', output_file_id: 'file-1' } }
        : { body: content, ...more, headers: { 'content-type': 'application/octet-stream', ...more.headers } },
    );
    const gateway = await guarded(t);
    const get = (path: string, config: JsonObject) =>
      gateway.request('GET', path, {
        headers: by({ provider: 'openai', api_key: 'k', custom_host: `${peer.origin}/v1`, ...config }),
      });
    return { peer, get };
  }

  const output = (custom_id: string, body: JsonObject, status_code = 200): JsonObject => ({
    id: `batch_req_${custom_id}`,
    custom_id,
    response: { status_code, request_id: 'r', body },
    error: null,
  });
  const chat = (content: string): JsonObject => ({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  const replies: readonly JsonObject[] = [
    chat('so bad'),
    {
      id: 't',
      object: 'text_completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, text: 'bad', finish_reason: 'stop', logprobs: null }],
    },
    {
      id: 'r',
      object: 'response',
      created_at: 1,
      model: 'm',
      status: 'completed',
      output: [
        {
          type: 'message',
          id: 'm',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'bad', annotations: [] }],
        },
      ],
    },
    {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'bad' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  ];

  it('has denials in the place of what is denied, in the form of each answer', async (t) => {
    const lines = [
      output('good', chat('fine')),
      ...replies.map((reply, index) => output(`bad${index}`, reply)),
      output('failed', { error: { message: 'bad' } }, 400),
    ];
    const { get } = await world(t, fileOf(lines));
    for (const path of ['/v1/files/file-1/content', '/v1/batches/batch_1/output']) {
      const reply = await get(path, { output_guardrails: [denies] });
      assert.equal(reply.status, 200, reply.text);
      const got = linesIn(reply.text);
      assert.deepEqual(
        got.map(({ custom_id }) => custom_id),
        lines.map(({ custom_id }) => custom_id),
      );
      assert.deepEqual(
        got.map(({ response }) => asObject(response)?.status_code),
        [200, 446, 446, 446, 446, 400],
      );
      assert.equal(asObject(asObject(asObject(got[1]?.response)?.body)?.error)?.type, 'hooks_failed');
      assert.doesNotMatch(JSON.stringify(got.slice(1, -1)), /so bad|"text":"bad"/);
      assert.deepEqual(got.at(-1), lines.at(-1));
    }
  });

  it('has what mutators have made of answers', async (t) => {
    const { get } = await world(t, fileOf([output('a', chat('the old one'))]));
    const [got] = linesIn((await get('/v1/files/file-1/content', { output_mutators: [swap('old', 'new')] })).text);
    const { response } = got ?? {};
    assert.match(JSON.stringify(response), /the new one/);
    assert.equal(asObject(response)?.request_id, 'r');
  });

  it('counts answers of a form that nobody knows as what cannot be read', async (t) => {
    const { get } = await world(t, fileOf([output('a', { strange: 'bad' })]));
    const [got] = linesIn((await get('/v1/files/file-1/content', { output_guardrails: [denies] })).text);
    assert.equal(asObject(got?.response)?.status_code, 446);
  });

  const others: readonly [string, string | Uint8Array][] = [
    ['the requests of a batch', fileOf([line('a', says('bad'))])],
    ['bytes', Uint8Array.from({ length: 3000 }, (_, index) => (index * 7) % 256)],
    ['an object over several lines', '{\n  "custom_id": "bad",\n "response": 1 }\n'],
    ['nothing', ''],
  ];
  for (const [what, content] of others) {
    it(`lets ${what} pass as they are`, async (t) => {
      const { peer, get: _ } = await world(t, content);
      const gateway = await guarded(t);
      const headers = by({
        provider: 'openai',
        api_key: 'k',
        custom_host: `${peer.origin}/v1`,
        output_guardrails: [denies],
      });
      const reply = await fetch(`${gateway.url}/v1/files/file-1/content`, { headers });
      assert.deepEqual(Buffer.from(await reply.arrayBuffer()), Buffer.from(content as string));
    });
  }

  it('is refused in parts, of which nobody can tell what they are', async (t) => {
    const { get } = await world(t, 'tput of a batch bad"}\n', {
      status: 206,
      headers: { 'content-range': 'bytes 5-9/50' },
    });
    const reply = await get('/v1/files/file-1/content', { output_guardrails: [denies] });
    assert.equal(reply.status, 400, reply.text);
    assert.equal((await get('/v1/files/file-1/content', {})).status, 206);
  });
});
