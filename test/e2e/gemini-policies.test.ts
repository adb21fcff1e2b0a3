import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { asArray, asObject, asObjects, type Json, type JsonObject, parseJson } from 'portcullis/sdk';
import { guarded, resultsOf, without } from '../plugins/guardrails/guarded.ts';
import { startGateway } from '../support/gateway.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';
import { countingGateway } from './ledger-gateway.ts';

noUnhandledRejections();

const path = '/v1beta/models/gemini-2.5-flash:generateContent';
const streamPath = '/v1beta/models/gemini-2.5-flash:streamGenerateContent';
const says = (text: string, more: JsonObject = {}): JsonObject => ({ contents: [{ parts: [{ text }] }], ...more });
const google = ({ origin }: Pick<Peer, 'origin'>, more: JsonObject = {}): JsonObject => ({
  provider: 'google',
  api_key: 'k',
  custom_host: `${origin}/v1beta`,
  ...more,
});
const usageMetadata = { promptTokenCount: 8, candidatesTokenCount: 11, totalTokenCount: 19 };
const chunk = (text: string, more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }],
  usageMetadata,
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r1',
});
const reply = (text: string): JsonObject => chunk(text, { finishReason: 'STOP' });
const events = (...texts: string[]): readonly string[] =>
  texts.map((text, at) => `data: ${JSON.stringify(at === texts.length - 1 ? reply(text) : chunk(text))}\n\n`);

function textIn(json: JsonObject): string {
  const [candidate] = asObjects(json.candidates);
  return asObjects(asObject(candidate?.content)?.parts)
    .map(({ text }) => text ?? '')
    .join('');
}

/** The data of events, and bare objects, which tell of errors. */
function chunksOf(text: string): readonly JsonObject[] {
  return asObjects(text.split(/\r?\n\r?\n/).map((event) => parseJson(event.replace(/^data: /, '')) ?? null));
}

async function world(t: TestContext) {
  const peer = await startPeer(t);
  const gateway = await guarded(t);
  const ask = (config: JsonObject, body: JsonObject, to = path, headers: Readonly<Record<string, string>> = {}) =>
    gateway.ask(google(peer, config), body, { path: to, headers });
  return { peer, gateway, ask };
}

const input = (more: JsonObject = {}) => ({
  input_guardrails: [{ ...without('secret', { scan_scope: 'all_messages' }), deny: true, ...more }],
});
const output = (more: JsonObject = {}) => ({ output_guardrails: [{ ...without('secret'), deny: true, ...more }] });
const mask = { 'default.regexReplace': { rule: 'sw[a-z]+sh', redactText: '*****', scan_scope: 'all_messages' } };

describe('guardrails of a generateContent request', () => {
  const bodies: Readonly<Record<string, JsonObject>> = {
    'a text': says('a secret'),
    'a single content with a single part': { contents: { parts: { text: 'a secret' } } },
    'the instruction of the system': says('x', { systemInstruction: { parts: [{ text: 'secret' }] } }),
    'the other spelling of it': says('x', { system_instruction: { parts: [{ text: 'secret' }] } }),
    'arguments of a call': {
      contents: [{ role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 'secret' } } }] }],
    },
    'the other spelling of a call': {
      contents: [{ parts: [{ function_call: { name: 'f', args: { a: ['secret'] } } }] }],
    },
    'the result of a call': { contents: [{ parts: [{ functionResponse: { name: 'f', response: { r: 'secret' } } }] }] },
    'code that was run': { contents: [{ parts: [{ executableCode: { language: 'PYTHON', code: 'secret' } }] }] },
    'what code has printed': {
      contents: [{ parts: [{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'secret' } }] }],
    },
    'a thought': { contents: [{ role: 'model', parts: [{ text: 'secret', thought: true }] }] },
    'a part of a kind to come': { contents: [{ parts: [{ laterKind: { said: 'secret' } }] }] },
    'the description of a tool': says('x', {
      tools: [{ functionDeclarations: [{ name: 'f', description: 'secret' }] }],
    }),
    'a text file in base64': {
      contents: [
        { parts: [{ inlineData: { mimeType: 'text/plain', data: Buffer.from('secret').toString('base64') } }] },
      ],
    },
  };
  for (const [name, body] of Object.entries(bodies)) {
    it(`see ${name}`, async (t) => {
      const { peer, ask } = await world(t);
      const denied = await ask(input(), body);
      assert.equal(denied.status, 446, denied.text);
      const error = asObject(denied.json.error);
      assert.deepEqual([error?.code, typeof error?.message, typeof error?.status], [446, 'string', 'string']);
      assert.equal(resultsOf(denied)[0]?.verdict, false);
      assert.equal(peer.requests.length, 0);
    });
  }

  it('see what is to be counted, and what is to be embedded', async (t) => {
    const { ask } = await world(t);
    const model = '/v1beta/models/m';
    for (const [method, body] of [
      ['countTokens', says('a secret')],
      ['countTokens', { generateContentRequest: says('a secret') }],
      ['countTokens', { generate_content_request: says('a secret') }],
      ['embedContent', { content: { parts: [{ text: 'a secret' }] } }],
      ['embedContent', { content: { parts: [{ text: 'x' }] }, title: 'a secret' }],
      ['batchEmbedContents', { requests: [{ content: { parts: { text: 'a secret' } } }] }],
    ] as const)
      assert.equal((await ask(input(), body, `${model}:${method}`)).status, 446, method);
  });

  it('edit it where it stands, and what leaves is what was looked at', async (t) => {
    const { peer, ask } = await world(t);
    peer.always({ body: reply('fine') });
    const body = {
      contents: [
        { role: 'user', parts: [{ text: 'the swordfish' }] },
        {
          role: 'model',
          parts: [{ functionCall: { name: 'f', args: { key: 'swordfish' } }, thoughtSignature: 'CiQB' }],
        },
      ],
      systemInstruction: { parts: { text: 'no swordfish' } },
    };
    assert.equal((await ask({ input_mutators: [mask] }, body)).status, 200);
    assert.deepEqual(peer.requests[0]?.body, {
      contents: [
        { role: 'user', parts: [{ text: 'the *****' }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { key: '*****' } }, thoughtSignature: 'CiQB' }] },
      ],
      systemInstruction: { parts: { text: 'no *****' } },
    });
  });

  it('add to contents, and to the instruction of the system', async (t) => {
    const { peer, ask } = await world(t);
    peer.always({ body: reply('fine') });
    const prefix = (applyToRole: string) => ({ 'default.addPrefix': { prefix: 'P: ', applyToRole } });
    assert.equal((await ask({ input_mutators: [prefix('user'), prefix('system')] }, says('x'))).status, 200);
    assert.deepEqual(peer.requests[0]?.body, {
      contents: [{ parts: [{ text: 'P: ' }, { text: 'x' }] }],
      systemInstruction: { parts: [{ text: 'P: ' }] },
    });
  });

  it('know tools by their members and their names', async (t) => {
    const { peer, ask } = await world(t);
    peer.always({ body: reply('fine') });
    const rule = {
      'default.requestParametersCheck': { tools: { blockedTypes: ['googleSearch'], blockedFunctionNames: ['rm'] } },
    };
    const status = async (tools: Json) =>
      (await ask({ input_guardrails: [{ ...rule, deny: true }] }, says('x', { tools }))).status;
    assert.deepEqual(
      [
        await status([{ googleSearch: {} }]),
        await status([{ functionDeclarations: [{ name: 'ls' }, { name: 'rm' }] }]),
        await status([{ functionDeclarations: [{ name: 'ls' }] }]),
      ],
      [446, 446, 200],
    );
  });
});

describe('guardrails of a generateContent reply', () => {
  it('deny it, warn of it, and edit it', async (t) => {
    const { peer, ask } = await world(t);
    peer.always({ body: reply('a secret swordfish') });
    const denied = await ask(output(), says('x'));
    assert.deepEqual([denied.status, asObject(denied.json.error)?.code, denied.json.candidates], [446, 446, undefined]);
    const warned = await ask(output({ deny: false }), says('x'));
    assert.deepEqual(
      [warned.status, textIn(warned.json), resultsOf(warned, 'after')[0]?.verdict],
      [246, 'a secret swordfish', false],
    );
    const edited = await ask({ output_mutators: [mask] }, says('x'));
    assert.deepEqual([edited.status, textIn(edited.json)], [200, 'a secret *****']);
    assert.deepEqual(edited.json.usageMetadata, usageMetadata);
  });

  it('look at calls, and let an answer pass that was blocked before them', async (t) => {
    const { peer, ask } = await world(t);
    const parts = [{ functionCall: { name: 'f', args: { a: 'secret' } } }];
    peer.always({ body: { candidates: [{ content: { parts, role: 'model' }, finishReason: 'STOP' }] } });
    assert.equal((await ask(output(), says('x'))).status, 446);
    peer.always({ body: { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata } });
    assert.equal((await ask(output(), says('x'))).status, 200);
  });

  it('say a soft denial as the answer of the model, whole and as a stream', async (t) => {
    const { ask } = await world(t);
    const soft = {
      input_guardrails: [{ ...without('secret', { soft_deny_200: true }), deny: true, message: 'Not that.' }],
    };
    const whole = await ask(soft, says('a secret'));
    assert.deepEqual([whole.status, textIn(whole.json), resultsOf(whole)[0]?.verdict], [200, 'Not that.', false]);
    const stream = await ask(soft, says('a secret'), `${streamPath}?alt=sse`);
    assert.equal(stream.status, 200);
    assert.equal(chunksOf(stream.text).map(textIn).join(''), 'Not that.');
  });

  for (const provider of ['google', 'openai'] as const) {
    describe(`as a stream of ${provider}`, () => {
      const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
      const chatEvents = (...texts: string[]) =>
        [
          ...texts.map((content) => ({
            id: 'c',
            object: 'chat.completion.chunk',
            created: 1,
            model: 'm',
            choices: [{ index: 0, delta: { content }, finish_reason: null }],
          })),
          { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...stop },
        ]
          .map((event) => `data: ${JSON.stringify(event)}\n\n`)
          .concat('data: [DONE]\n\n');
      const stream = async (
        t: TestContext,
        texts: readonly string[],
        config: JsonObject,
        headers: Readonly<Record<string, string>> = {},
      ) => {
        const peer = await startPeer(t);
        peer.always({ events: provider === 'google' ? events(...texts) : chatEvents(...texts) });
        const gateway = await guarded(t);
        const upstream = provider === 'google' ? google(peer, config) : target(peer, config);
        return gateway.ask(upstream, says('x'), { path: `${streamPath}?alt=sse`, headers });
      };
      const window = { stream_mode: 'window', stream_window: { tokens: 8, ms: 10_000, overlap_tokens: 3 } };
      const long = [
        'Good day to you, this is a friendly answer, which is long enough. ',
        'The key is sword',
        'fish, secret.',
      ];

      it('is edited before it goes out', async (t) => {
        const { text, status } = await stream(t, long, { output_mutators: [{ ...mask, ...window }] });
        assert.equal(status, 200);
        assert.equal(chunksOf(text).map(textIn).join(''), long.join('').replace('swordfish', '*****'));
        assert.match(text, /"finishReason":"STOP"/);
      });

      it('is refused where its beginning is denied', async (t) => {
        const { json, status } = await stream(t, ['a secret'], output(window));
        assert.deepEqual([status, asObject(json.error)?.code], [446, 446]);
      });

      it('ends where it is denied later', async (t) => {
        const { text, status } = await stream(t, long, output(window));
        assert.equal(status, 200);
        assert.doesNotMatch(text, /secret\./);
      });

      it('tells at its end what was found, to those who want it', async (t) => {
        const after = { ...output({ deny: false, stream_mode: 'after' }) };
        const told = await stream(t, long, after, { 'x-gw-strict-compliance': 'false' });
        const last = chunksOf(told.text).at(-1);
        assert.equal(asObjects(asObject(last?.hook_results)?.after_request_hooks)[0]?.verdict, false, told.text);
        assert.deepEqual(last?.candidates, []);
        const untold = await stream(t, long, after);
        assert.doesNotMatch(untold.text, /hook_results/);
      });

      it('tells that it has broken off', async (t) => {
        const peer = await startPeer(t);
        peer.always({ events: (provider === 'google' ? events(...long) : chatEvents(...long)).slice(0, 2) });
        const gateway = await guarded(t);
        for (const config of [{}, output({ stream_mode: 'after' }), output(window)]) {
          const upstream = provider === 'google' ? google(peer, config) : target(peer, config);
          const { text } = await gateway.ask(upstream, says('x'), { path: `${streamPath}?alt=sse` });
          const errors = asObjects(chunksOf(text).map(({ error }) => error ?? null));
          assert.deepEqual(
            errors.map(({ code }) => code),
            [502],
            text,
          );
        }
      });
    });
  }
});

describe('a stream without alt=sse', () => {
  it('is one JSON array, element by element, errors too', async (t) => {
    const { peer, ask } = await world(t);
    peer.always({ events: events('one', ' twö') });
    const whole = await ask({}, says('x'), streamPath);
    assert.match(String(whole.headers.get('content-type')), /^application\/json/);
    const chunks = asArray(parseJson(whole.text)).map((item) => asObject(item) ?? {});
    assert.equal(chunks.map(textIn).join(''), 'one twö');
    peer.always({ events: events('one', ' two').slice(0, 1) });
    const broken = asArray(parseJson((await ask({}, says('x'), streamPath)).text));
    assert.equal(asObject(asObject(broken.at(-1))?.error)?.code, 502);
    peer.always({ status: 429, body: { error: { code: 429, message: 'much', status: 'RESOURCE_EXHAUSTED' } } });
    const refused = await ask({}, says('x'), streamPath);
    assert.deepEqual([refused.status, asObject(refused.json.error)?.status], [429, 'RESOURCE_EXHAUSTED']);
  });

  it('is kept once for both framings of a stream that is asked for again', async (t) => {
    const { peer, ask } = await world(t);
    peer.always({ events: events('one', ' two') });
    for (const [to, hits] of [
      [streamPath, 'MISS'],
      [streamPath, 'HIT'],
      [`${streamPath}?alt=sse`, 'MISS'],
      [`${streamPath}?alt=sse`, 'HIT'],
    ] as const) {
      const { headers, text } = await ask({ cache: { mode: 'simple', max_age: 60 } }, says('x'), to);
      assert.equal(headers.get('x-gw-cache-status'), hits, to);
      assert.match(text, to === streamPath ? /^\[.*\]$/s : /^data: /);
    }
  });
});

describe('what a generateContent request comes to', () => {
  it('is learned from a stream that passes as it is', async (t) => {
    const peer = await startPeer(t);
    peer.always({ events: events('one', ' two') });
    const gateway = await countingGateway(t);
    for (const to of [streamPath, path]) {
      if (to === path) peer.always({ body: reply('one two') });
      await gateway.ask(google(peer), says('x'), { path: to });
    }
    for (const { usage, usageSource, endpoint, model } of await gateway.records(2)) {
      assert.deepEqual([usage?.input, usage?.output, usageSource], [8, 11, 'provider']);
      assert.deepEqual([endpoint, model], ['chatComplete', 'gemini-2.5-flash']);
    }
  });
});

describe('the routes of generateContent', () => {
  it('take names with slashes, encoded or not, below both versions', async (t) => {
    const { peer, ask } = await world(t);
    peer.always({ body: reply('fine') });
    for (const [given, left] of [
      ['/v1beta/models/gemini-2.5-flash', 'models/gemini-2.5-flash'],
      ['/v1/models/gemini-2.5-flash', 'models/gemini-2.5-flash'],
      ['/v1beta/models/models%2Fgemini-2.5-flash', 'models/gemini-2.5-flash'],
      ['/v1beta/tunedModels/mine', 'tunedModels/mine'],
      ['/v1beta/models/@google/gemini-2.5-flash', 'models/gemini-2.5-flash'],
      ['/v1beta/models/%40google%2Fgemini-2.5-flash', 'models/gemini-2.5-flash'],
    ] as const) {
      const { status, text } = await ask({}, says('x'), `${given}:generateContent`);
      assert.equal(status, 200, text);
      assert.equal(peer.requests.at(-1)?.url, `/v1beta/${left}:generateContent`, given);
    }
  });

  it('refuse in the words of their format', async (t) => {
    const { gateway, ask } = await world(t);
    for (const [body, field] of [
      [{}, 'contents'],
      [{ contents: [] }, 'contents'],
      [{ contents: [{ parts: [{ text: 5 }] }] }, 'contents[0].parts[0].text'],
      [says('x', { generationConfig: { temperature: 3 } }), 'generationConfig.temperature'],
      [says('x', { generation_config: { max_output_tokens: 'x' } }), 'generation_config.max_output_tokens'],
    ] as const) {
      const { status, json } = await ask({}, body as JsonObject);
      const error = asObject(json.error);
      assert.deepEqual([status, error?.code, error?.status], [400, 400, 'INVALID_ARGUMENT']);
      const [detail] = asObjects(error?.details);
      assert.equal(asObjects(detail?.fieldViolations)[0]?.field, field);
    }
    const unknown = await gateway.post('/v1beta/models/m:explode', says('x'));
    assert.deepEqual([unknown.status, asObject(unknown.json.error)?.status], [404, 'NOT_FOUND']);
    const wrong = await gateway.request('GET', path);
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST']);
  });

  it('take the model of the path, whatever the body says', async (t) => {
    const { peer, ask } = await world(t);
    peer.always({ body: { embeddings: [{ values: [1] }] } });
    const requests = [{ model: 'models/other', content: { parts: [{ text: 'x' }] } }];
    await ask({}, { requests, model: 'other', stream: true }, '/v1beta/models/mine:batchEmbedContents');
    assert.deepEqual(peer.requests[0]?.body, { requests: [{ ...requests[0], model: 'models/mine' }] });
  });
});

describe('a key in the query', () => {
  const key = 'pk-test-1234567890';
  const keys = [{ name: 'team', sha256: createHash('sha256').update(key).digest('hex') }];
  const echo = { configs: { echo: { provider: 'echo' } }, defaultConfig: 'echo' };

  it('is taken when it is one of the gateway, and stands in no log and no question', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: reply('fine') });
    const gateway = await startGateway(t, { keys, configs: { main: google(peer) }, defaultConfig: 'main' });
    const { status, text } = await gateway.post(`${path}?key=${key}&alt=json`, says('x'));
    assert.equal(status, 200, text);
    const { fields } = await gateway.logged((line) => line.event === 'request');
    assert.equal(fields.principal, 'key:team');
    assert.doesNotMatch(
      JSON.stringify(gateway.log) + JSON.stringify([peer.requests[0]?.url, peer.requests[0]?.headers]),
      new RegExp(key),
    );
  });

  it('is refused with a hint when it is any other, and never repeated', async (t) => {
    for (const known of [keys, []]) {
      const gateway = await startGateway(t, { ...echo, keys: known });
      const { status, json, text } = await gateway.post(`${path}?key=AIzaOther`, says('x'));
      assert.deepEqual([status, asObject(json.error)?.status], [401, 'UNAUTHENTICATED']);
      assert.match(text, /x-goog-api-key/);
      assert.doesNotMatch(text + JSON.stringify(gateway.log), /AIzaOther/);
    }
  });

  it('may stand in x-goog-api-key as well', async (t) => {
    const gateway = await startGateway(t, { ...echo, keys });
    assert.equal((await gateway.post(path, says('x'), { 'x-goog-api-key': key })).status, 200);
    assert.equal((await gateway.post(path, says('x'))).status, 401);
  });
});
