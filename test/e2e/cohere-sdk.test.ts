import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { CohereClientV2, CohereError } from 'cohere-ai';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { answerOf, type RecordedRoute, routesOf } from '../support/recorded-routes/cases.ts';
import { openRecorded, type RecordedWorld } from '../support/recorded-routes/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

/** The answer of a fixture to another question. */
function recorded(provider: string, name: string, path: string, json: JsonObject): RecordedRoute {
  const [first = assert.fail('no route')] = routesOf(provider, [name]);
  return { ...first, path, body: { kind: 'json', json } };
}

const command = 'command-a-03-2025';
const hello = [{ role: 'user', content: 'Hello!' }] as const;
const asked: JsonObject = { messages: [...hello] };
const weather = {
  type: 'function',
  function: {
    name: 'get_current_weather',
    parameters: { type: 'object', properties: { location: { type: 'string' } } },
  },
} as const;
const query = 'What is the capital?';
const documents = ['Carson City', 'Washington'];

const cohere = [
  recorded('cohere', 'chat', '/v2/chat', { model: command, stream: false, documents: ['a fact'], ...asked }),
  recorded('cohere', 'stream', '/v2/chat', { model: command, stream: true, ...asked }),
  recorded('cohere', 'tools', '/v2/chat', { model: command, stream: false, tools: [weather], ...asked }),
  recorded('cohere', 'error', '/v2/chat', { model: 'unknown', stream: false, ...asked }),
  recorded('cohere', 'embed', '/v2/embed', {
    model: 'embed-v4.0',
    input_type: 'search_query',
    texts: ['hello', 'goodbye'],
    embedding_types: ['float'],
  }),
  recorded('cohere', 'rerank', '/v2/rerank', { model: 'rerank-v4.0-pro', query, documents, top_n: 2 }),
];

const chatPath = '/v1/chat/completions';
const openai = [
  recorded('openai', 'chat', chatPath, { model: 'gpt-4.1', stream: false, temperature: 0.5, ...asked }),
  recorded('openai', 'stream', chatPath, {
    model: 'gpt-4.1',
    stream: true,
    stream_options: { include_usage: true },
    ...asked,
  }),
  recorded('openai', 'tools', chatPath, {
    model: 'gpt-4.1',
    stream: false,
    tools: [weather],
    tool_choice: 'required',
    ...asked,
  }),
  recorded('openai', 'error', chatPath, { model: 'gpt-0', stream: false, ...asked }),
  recorded('openai', 'embed', '/v1/embeddings', {
    model: 'text-embedding-3-small',
    input: ['hello', 'goodbye'],
    dimensions: 3,
    encoding_format: 'float',
  }),
];

describe("the SDK of the second version's own vendor", () => {
  const scope = suiteScope();
  let world: RecordedWorld;
  let client: CohereClientV2;
  before(async () => {
    world = await openRecorded(scope, { cohere, openai });
    client = new CohereClientV2({ token: 'portcullis', environment: world.gateway.url, maxRetries: 0 });
  });

  describe('asking that vendor', () => {
    it('gets the recorded answer', async () => {
      const reply = await client.chat({ model: command, messages: [...hello], documents: ['a fact'] });
      assert.deepEqual(reply.message.content, [{ type: 'text', text: 'LLMs stand for Large Language Models.' }]);
      assert.deepEqual([reply.finishReason, reply.usage?.billedUnits?.inputTokens], ['COMPLETE', 5]);
    });

    it('streams the recorded answer', async () => {
      const events = await Array.fromAsync(await client.chatStream({ model: command, messages: [...hello] }));
      const text = events.map((event) => (event.type === 'content-delta' ? event.delta?.message?.content?.text : ''));
      assert.equal(text.join(''), 'LLMs stand');
      assert.equal(events.at(-1)?.type, 'message-end');
    });

    it('gets calls of functions', async () => {
      const reply = await client.chat({ model: command, messages: [...hello], tools: [weather] });
      const recordedReply = asObject(answerOf('cohere', 'tools')) ?? {};
      const calls = asObjects(asObject(recordedReply.message)?.tool_calls);
      assert.deepEqual(
        reply.message.toolCalls?.map(({ id }) => id),
        calls.map(({ id }) => id),
      );
    });

    it('embeds', async () => {
      const reply = await client.embed({
        model: 'embed-v4.0',
        inputType: 'search_query',
        texts: ['hello', 'goodbye'],
        embeddingTypes: ['float'],
      });
      assert.deepEqual(reply.embeddings.float, [
        [0.25, -0.5],
        [1, 0.125],
      ]);
      assert.equal(reply.meta?.billedUnits?.inputTokens, 2);
    });

    it('ranks, with the units that are billed', async () => {
      const reply = await client.rerank({ model: 'rerank-v4.0-pro', query, documents, topN: 2 });
      assert.deepEqual(
        reply.results.map(({ index, relevanceScore }) => [index, relevanceScore]),
        [
          [1, 0.999071],
          [0, 0.32713068],
        ],
      );
      assert.equal(reply.meta?.billedUnits?.searchUnits, 1);
    });

    it('throws the error of the vendor', async () => {
      const [{ answer } = assert.fail('no error')] = routesOf('cohere', ['error']);
      await assert.rejects(client.chat({ model: 'unknown', messages: [...hello] }), (error) => {
        assert.ok(error instanceof CohereError);
        assert.equal(error.statusCode, answer.status);
        assert.equal(typeof asObject(error.body as JsonObject)?.message, 'string');
        return true;
      });
    });
  });

  describe('asking a vendor of the chat format', () => {
    const model = '@openai/gpt-4.1';

    it('gets an answer in its own format', async () => {
      const reply = await client.chat({ model, messages: [...hello], temperature: 0.5 });
      assert.deepEqual(reply.message.content, [{ type: 'text', text: 'Hello! How can I assist you today?' }]);
      assert.deepEqual([reply.usage?.tokens?.inputTokens, reply.usage?.tokens?.outputTokens], [19, 10]);
    });

    it('streams', async () => {
      const events = await Array.fromAsync(await client.chatStream({ model, messages: [...hello] }));
      const text = events.map((event) => (event.type === 'content-delta' ? event.delta?.message?.content?.text : ''));
      assert.equal(text.join(''), 'Hello wörld');
      const last = events.at(-1);
      assert.ok(last?.type === 'message-end');
      assert.deepEqual([last.delta?.finishReason, last.delta?.usage?.tokens?.outputTokens], ['COMPLETE', 10]);
    });

    it('gets calls of functions', async () => {
      const reply = await client.chat({ model, messages: [...hello], tools: [weather], toolChoice: 'REQUIRED' });
      assert.deepEqual(
        reply.message.toolCalls?.map(({ id }) => id),
        ['call_abc123', 'call_def456'],
      );
      assert.equal(reply.finishReason, 'TOOL_CALL');
    });

    it('embeds', async () => {
      const reply = await client.embed({
        model: '@openai/text-embedding-3-small',
        inputType: 'search_query',
        texts: ['hello', 'goodbye'],
        outputDimension: 3,
        embeddingTypes: ['float'],
      });
      assert.equal(reply.embeddings.float?.[1]?.[0], 0.0053);
    });

    it('throws the error of that vendor in the form of its own', async () => {
      await assert.rejects(client.chat({ model: '@openai/gpt-0', messages: [...hello] }), (error) => {
        assert.ok(error instanceof CohereError);
        assert.equal(error.statusCode, 401);
        assert.match(String(asObject(error.body as JsonObject)?.message), /Incorrect API key/);
        return true;
      });
    });

    it('is told that nobody ranks there', async () => {
      await assert.rejects(client.rerank({ model, query, documents }), (error) => {
        assert.ok(error instanceof CohereError);
        assert.match(String(asObject(error.body as JsonObject)?.message), /rerank is not supported by openai/);
        return true;
      });
    });
  });
});
