import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ApiError, FunctionCallingConfigMode, type FunctionDeclaration, GoogleGenAI, Type } from '@google/genai';
import { asObject, asObjects, type Json, type JsonObject } from 'portcullis/sdk';
import { saved } from '../support/gateway.ts';
import { answerOf, type RecordedRoute, routesOf } from '../support/recorded-routes/cases.ts';
import { openRecorded, plain, type RecordedWorld } from '../support/recorded-routes/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

/** The answer of a fixture to another question. */
function recorded(provider: string, name: string, path: string, json: JsonObject): RecordedRoute {
  const [first = assert.fail('no route')] = routesOf(provider, [name]);
  return { ...first, path, body: { kind: 'json', json } };
}

const flash = '/v1beta/models/gemini-2.5-flash';
const chatPath = '/v1/chat/completions';
const claude = 'claude-sonnet-4-5';
const hello: JsonObject[] = [{ role: 'user', parts: [{ text: 'Hello!' }] }];
const picture = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
const weather: FunctionDeclaration = {
  name: 'get_current_weather',
  description: 'Get the current weather in a given location',
  parameters: { type: Type.OBJECT, properties: { location: { type: Type.STRING } }, required: ['location'] },
};
const weatherSchema = { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] };
const embedded = (text: string): JsonObject => ({ parts: [{ text }], role: 'user' });

const listed = saved('openai', 'https://api.openai.com/v1', undefined, ['a', 'b', 'c']);

const google = [
  ...routesOf('google', ['models', 'model', 'model-error']),
  recorded('google', 'chat', `${flash}:generateContent`, { contents: hello, generationConfig: { temperature: 0.5 } }),
  recorded('google', 'stream', `${flash}:streamGenerateContent?alt=sse`, { contents: hello }),
  recorded('google', 'thinking', `${flash}:generateContent`, {
    contents: hello,
    generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } },
  }),
  recorded('google', 'tools', `${flash}:generateContent`, {
    contents: hello,
    tools: [{ functionDeclarations: [weather] }] as unknown as Json,
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    generationConfig: {},
  }),
  recorded('google', 'chat', `${flash}:generateContent`, {
    contents: [{ role: 'user', parts: [{ text: 'What is this?' }, { inlineData: picture }] }],
    systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
    generationConfig: {},
  }),
  recorded('google', 'count-tokens', `${flash}:countTokens`, { contents: hello }),
  recorded('google', 'error-quota', `${flash}:generateContent`, {
    contents: [{ role: 'user', parts: [{ text: 'too much' }] }],
  }),
  recorded('google', 'embed', '/v1beta/models/gemini-embedding-001:batchEmbedContents', {
    requests: ['one', 'two'].map((text) => ({
      model: 'models/gemini-embedding-001',
      content: embedded(text),
      outputDimensionality: 3,
    })),
  }),
  recorded('google', 'embed', '/v1beta/models/gemini-embedding-001:batchEmbedContents', {
    requests: [{ model: 'models/gemini-embedding-001', content: { parts: [{ text: 'one' }] } }],
  }),
];

const openai = [
  ...routesOf('openai', ['models', 'model']),
  recorded('openai', 'chat', chatPath, {
    model: 'gpt-4.1',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${picture.data}` } },
        ],
      },
    ],
    max_completion_tokens: 50,
    stop: ['Title'],
  }),
  recorded('openai', 'stream', chatPath, {
    model: 'gpt-4.1',
    messages: [{ role: 'user', content: 'Hello!' }],
    stream: true,
    stream_options: { include_usage: true },
  }),
  recorded('openai', 'tools', chatPath, {
    model: 'gpt-4.1',
    messages: [{ role: 'user', content: 'Hello!' }],
    tools: [{ type: 'function', function: { ...weather, parameters: weatherSchema } }] as unknown as Json,
    tool_choice: 'required',
  }),
  recorded('openai', 'chat', chatPath, {
    model: 'gpt-4.1',
    messages: [
      { role: 'user', content: 'Hello!' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_abc123',
            type: 'function',
            function: { name: 'get_current_weather', arguments: '{"location":"Paris"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_abc123', content: '{"celsius":21}' },
    ],
  }),
  recorded('openai', 'error', chatPath, { model: 'gpt-4.1', messages: [{ role: 'user', content: 'who?' }] }),
  recorded('openai', 'embed', '/v1/embeddings', {
    model: 'text-embedding-3-small',
    input: ['one', 'two'],
    dimensions: 3,
  }),
];

const anthropic = [
  recorded('anthropic', 'thinking', '/v1/messages', {
    model: claude,
    messages: [{ role: 'user', content: 'Hello!' }],
    max_tokens: 2048,
    thinking: { type: 'enabled', budget_tokens: 1024 },
  }),
  recorded('anthropic', 'tools-stream', '/v1/messages', {
    model: claude,
    messages: [{ role: 'user', content: 'Hello!' }],
    max_tokens: 2048,
    stream: true,
  }),
  recorded('anthropic', 'count-tokens', '/v1/messages/count_tokens', {
    model: claude,
    messages: [{ role: 'user', content: 'Hello!' }],
  }),
];

describe('the Google Gen AI SDK', () => {
  const scope = suiteScope();
  let world: RecordedWorld;
  let client: GoogleGenAI;
  before(async () => {
    world = await openRecorded(scope, { google, openai, anthropic }, { providers: { listed } });
    client = new GoogleGenAI({ apiKey: 'portcullis', httpOptions: { baseUrl: world.gateway.url } });
  });

  describe('asking for models', () => {
    // `/v1/models`, which the SDK asks by default, answers in the form of the chat format.
    const asking = (headers: Record<string, string> = {}) => {
      const httpOptions = { baseUrl: world.gateway.url, apiVersion: 'v1beta', headers };
      return new GoogleGenAI({ apiKey: 'portcullis', httpOptions }).models;
    };
    const at = (provider: string) => asking({ 'x-gw-provider': `@${provider}` });
    const path = '/v1beta/models';

    it('pages through those of the gateway', async () => {
      const names: (string | undefined)[] = [];
      for await (const { name } of await asking().list({ config: { pageSize: 2 } })) names.push(name);
      assert.deepEqual(names, ['models/@listed/a', 'models/@listed/b', 'models/@listed/c']);
      const first = await world.gateway.request('GET', `${path}?pageSize=2`);
      assert.deepEqual(first.json, {
        models: ['a', 'b'].map((model) => ({ name: `models/@listed/${model}`, displayName: `@listed/${model}` })),
        nextPageToken: '2',
      });
      const last = await world.gateway.request('GET', `${path}?pageSize=2&pageToken=2`);
      assert.deepEqual(Object.keys(last.json), ['models']);
    });

    it('gets one of the gateway, in the form of either path', async () => {
      assert.equal((await asking().get({ model: 'models/@listed/b' })).displayName, '@listed/b');
      const { json } = await world.gateway.request('GET', '/v1/models/@listed/b');
      assert.deepEqual(json, { id: '@listed/b', object: 'model', created: 0, owned_by: 'openai' });
    });

    it('gets those of its own vendor as they are', async () => {
      const models = await Array.fromAsync(await at('google').list({ config: { pageSize: 1 } }));
      assert.deepEqual(
        models.map(({ name, displayName, supportedActions }) => [name, displayName, supportedActions]),
        [['models/gemini-2.5-flash', 'Gemini 2.5 Flash', ['generateContent', 'countTokens']]],
      );
      const model = await at('google').get({ model: 'gemini-2.5-flash' });
      assert.deepEqual([model.displayName, model.inputTokenLimit], ['Gemini 2.5 Flash', 1048576]);
    });

    it('gets those of another vendor in its own form', async () => {
      const ids = asObjects(asObject(answerOf('openai', 'models'))?.data).map(({ id }) => id);
      const models = await Array.fromAsync(await at('openai').list());
      assert.deepEqual(
        models.map(({ name, displayName }) => [name, displayName]),
        ids.map((id) => [`models/${String(id)}`, id]),
      );
    });

    it('reads errors of the vendor and of the gateway in its own form', async () => {
      const failed = [
        [() => at('google').get({ model: 'none' }), 404, 'NOT_FOUND'],
        [() => at('nobody').list(), 400, 'INVALID_ARGUMENT'],
        [() => asking().list({ config: { pageToken: 'x' } }), 400, 'INVALID_ARGUMENT'],
      ] as const;
      for (const [ask, code, status] of failed) {
        await assert.rejects(ask(), (error) => {
          assert.ok(error instanceof ApiError, String(error));
          const { error: told } = JSON.parse(error.message);
          assert.deepEqual([error.status, told.code, told.status], [code, code, status]);
          return true;
        });
      }
    });
  });

  describe('of its own vendor', () => {
    const model = 'gemini-2.5-flash';

    it('gets the recorded answer', async () => {
      const reply = await client.models.generateContent({ model, contents: 'Hello!', config: { temperature: 0.5 } });
      const recordedReply = asObject(answerOf('google', 'chat')) ?? {};
      assert.equal(reply.text, '{"text":"A mouse."}');
      assert.deepEqual(plain(reply.usageMetadata), recordedReply.usageMetadata);
      assert.deepEqual([reply.modelVersion, reply.responseId], ['gemini-2.5-flash', 'ctSfaIzLC43Qz7IPzsvdkAg']);
    });

    it('streams the recorded answer', async () => {
      const chunks = await Array.fromAsync(await client.models.generateContentStream({ model, contents: 'Hello!' }));
      assert.equal(chunks.map(({ text }) => text).join(''), 'AI learns patterns from wörlds of data.');
      assert.equal(chunks.at(-1)?.candidates?.[0]?.finishReason, 'STOP');
      assert.equal(chunks.at(-1)?.usageMetadata?.totalTokenCount, 19);
    });

    it('sees thoughts, and tokens of thoughts', async () => {
      const thinkingConfig = { includeThoughts: true, thinkingBudget: 1024 };
      const reply = await client.models.generateContent({ model, contents: 'Hello!', config: { thinkingConfig } });
      const parts = reply.candidates?.[0]?.content?.parts ?? [];
      assert.deepEqual([parts[0]?.thought, parts[1]?.thoughtSignature], [true, 'CiQBVKhc7gVN']);
      assert.equal(reply.usageMetadata?.thoughtsTokenCount, 60);
    });

    it('gets calls of functions', async () => {
      const config = {
        tools: [{ functionDeclarations: [weather] }],
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
      };
      const reply = await client.models.generateContent({ model, contents: 'Hello!', config });
      assert.deepEqual(
        reply.functionCalls?.map(({ name, args }) => [name, args]),
        [
          ['get_time', { timezone: 'America/New_York' }],
          ['get_time', { timezone: 'Europe/Paris' }],
        ],
      );
    });

    it('sends pictures and the instruction of the system', async () => {
      const contents = [{ role: 'user', parts: [{ text: 'What is this?' }, { inlineData: picture }] }];
      const reply = await client.models.generateContent({
        model: 'models/gemini-2.5-flash',
        contents,
        config: { systemInstruction: 'Be brief.' },
      });
      assert.equal(reply.candidates?.[0]?.finishReason, 'STOP');
    });

    it('counts tokens', async () => {
      const { totalTokens } = await client.models.countTokens({ model, contents: 'Hello!' });
      assert.equal(totalTokens, 11);
    });

    it('embeds texts, many and one', async () => {
      const recordedReply = asObject(answerOf('google', 'embed')) ?? {};
      const { embeddings } = await client.models.embedContent({
        model: 'gemini-embedding-001',
        contents: ['one', 'two'],
        config: { outputDimensionality: 3 },
      });
      assert.deepEqual(plain(embeddings), recordedReply.embeddings);
      const path = '/v1beta/models/gemini-embedding-001:embedContent';
      const { json } = await world.gateway.post(path, { content: { parts: [{ text: 'one' }] } });
      assert.deepEqual(json, { embedding: (recordedReply.embeddings as Json[])[0] });
    });

    it('throws the error of the vendor', async () => {
      await assert.rejects(client.models.generateContent({ model, contents: 'too much' }), (error) => {
        assert.ok(error instanceof ApiError);
        assert.equal(error.status, 429);
        assert.match(error.message, /RESOURCE_EXHAUSTED.*|exhausted/);
        return true;
      });
    });
  });

  describe('of a vendor of the chat format', () => {
    const model = '@openai/gpt-4.1';

    it('gets an answer in its own format', async () => {
      const contents = [{ role: 'user', parts: [{ text: 'What is this?' }, { inlineData: picture }] }];
      const reply = await client.models.generateContent({
        model,
        contents,
        config: { systemInstruction: 'Be brief.', maxOutputTokens: 50, stopSequences: ['Title'] },
      });
      assert.equal(reply.text, 'Hello! How can I assist you today?');
      assert.equal(reply.candidates?.[0]?.finishReason, 'STOP');
      assert.deepEqual(
        [
          reply.usageMetadata?.promptTokenCount,
          reply.usageMetadata?.candidatesTokenCount,
          reply.usageMetadata?.totalTokenCount,
        ],
        [19, 10, 29],
      );
    });

    it('streams, with the usage in the last chunk', async () => {
      const chunks = await Array.fromAsync(await client.models.generateContentStream({ model, contents: 'Hello!' }));
      assert.equal(chunks.map(({ text }) => text ?? '').join(''), 'Hello wörld');
      assert.equal(chunks.at(-1)?.usageMetadata?.totalTokenCount, 29);
    });

    it('gets calls of functions, and answers them', async () => {
      const config = {
        tools: [{ functionDeclarations: [weather] }],
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
      };
      const reply = await client.models.generateContent({ model, contents: 'Hello!', config });
      assert.deepEqual(
        reply.functionCalls?.map(({ id, name, args }) => [id, name, args]),
        [
          ['call_abc123', 'get_current_weather', { location: 'Boston, MA' }],
          ['call_def456', 'get_current_weather', { location: 'Paris' }],
        ],
      );
      const functionCall = { id: 'call_abc123', name: 'get_current_weather', args: { location: 'Paris' } };
      const functionResponse = { id: 'call_abc123', name: 'get_current_weather', response: { celsius: 21 } };
      const { text } = await client.models.generateContent({
        model,
        contents: [
          { role: 'user', parts: [{ text: 'Hello!' }] },
          { role: 'model', parts: [{ functionCall }] },
          { role: 'user', parts: [{ functionResponse }] },
        ],
      });
      assert.equal(text, 'Hello! How can I assist you today?');
    });

    it('embeds texts', async () => {
      const { embeddings } = await client.models.embedContent({
        model: '@openai/text-embedding-3-small',
        contents: ['one', 'two'],
        config: { outputDimensionality: 3 },
      });
      assert.deepEqual(
        embeddings?.map(({ values }) => values?.[0]),
        [0.0023064255, 0.0053],
      );
    });

    it('throws the error of the vendor in the form of its own', async () => {
      await assert.rejects(client.models.generateContent({ model, contents: 'who?' }), (error) => {
        assert.ok(error instanceof ApiError);
        const { error: told } = JSON.parse(error.message);
        assert.deepEqual([error.status, told.code, told.status], [401, 401, 'UNAUTHENTICATED']);
        return true;
      });
    });

    it('is told that nobody counts tokens there', async () => {
      await assert.rejects(client.models.countTokens({ model, contents: 'Hello!' }), /not supported by openai/);
    });
  });

  describe('of a vendor of the messages format', () => {
    const model = `@anthropic/${claude}`;

    it('sees thoughts with their signature', async () => {
      const reply = await client.models.generateContent({
        model,
        contents: 'Hello!',
        config: { maxOutputTokens: 2048, thinkingConfig: { thinkingBudget: 1024 } },
      });
      assert.equal(reply.text, '27 * 453 = 12,231');
      const [thought] = reply.candidates?.[0]?.content?.parts ?? [];
      assert.deepEqual([thought?.thought, thought?.text], [true, 'Let me solve this step by step.']);
      assert.equal(thought?.thoughtSignature?.slice(0, 8), 'EqQBCgIY');
      assert.equal(reply.usageMetadata?.totalTokenCount, 110);
    });

    it('streams calls of functions', async () => {
      const stream = await client.models.generateContentStream({
        model,
        contents: 'Hello!',
        config: { maxOutputTokens: 2048 },
      });
      const chunks = await Array.fromAsync(stream);
      assert.match(chunks.map(({ text }) => text ?? '').join(''), /^Okay, let's check/);
      const calls = chunks.flatMap(({ functionCalls }) => functionCalls ?? []);
      assert.deepEqual(
        calls.map(({ name, args }) => [name, args]),
        [['get_weather', { location: 'San Francisco, CA' }]],
      );
    });

    it('counts tokens', async () => {
      const { totalTokens } = await client.models.countTokens({ model, contents: 'Hello!' });
      assert.equal(totalTokens, 14);
    });
  });
});
