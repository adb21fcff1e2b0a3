import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { CohereClientV2, CohereError } from 'cohere-ai';
import { asObject, asObjects, asString } from 'portcullis/sdk';
import { answerOf, route, routesOf, saying } from '../support/recorded-routes/cases.ts';
import { openRecorded, plain, type RecordedWorld } from '../support/recorded-routes/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

const model = 'command-a-plus-05-2026';
const failure = { id: 'e1', message: 'invalid request: messages must not be empty' };
const routes = [
  ...routesOf('cohere', ['stream', 'embed', 'rerank']),
  ...saying({ stream: false }, routesOf('cohere', ['proxy', 'tools'])),
  route('POST', '/v2/chat', failure, { status: 400, body: { model, messages: [], stream: false } }),
];

describe('the cohere SDK, through the proxy route', () => {
  const scope = suiteScope();
  let world: RecordedWorld;
  let client: CohereClientV2;
  before(async () => {
    world = await openRecorded(scope, { cohere: routes });
    client = new CohereClientV2({
      token: 'portcullis',
      environment: `${world.gateway.url}/v1/proxy`,
      headers: { 'x-gw-provider': '@cohere' },
      maxRetries: 0,
    });
  });

  it('chats', async () => {
    const { finishReason, message } = await client.chat({ model, messages: [{ role: 'user', content: 'Hi' }] });
    assert.equal(finishReason, 'COMPLETE');
    assert.deepEqual(message?.content, [{ type: 'text', text: 'Hello.' }]);
  });

  it('streams a chat', async () => {
    const stream = await client.chatStream({ model, messages: [{ role: 'user', content: 'Tell me about LLMs' }] });
    const said: string[] = [];
    const types: (string | undefined)[] = [];
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'content-delta') said.push(event.delta?.message?.content?.text ?? '');
    }
    const sent = asObjects(answerOf('cohere', 'stream'));
    assert.deepEqual(
      types,
      sent.map(({ type }) => type),
    );
    assert.match(said.join(''), /^LLMs/);
  });

  it('calls tools', async () => {
    const day = { type: 'string', description: 'YYYY-MM-DD' };
    const report = {
      name: 'query_daily_sales_report',
      description: 'Retrieves overall sales of a day.',
      parameters: { type: 'object', properties: { day }, required: ['day'] },
    };
    const ping = { name: 'ping', parameters: { type: 'object', properties: {} } };
    const { message } = await client.chat({
      model,
      messages: [{ role: 'user', content: 'Can you provide a sales summary for 29th September 2023?' }],
      tools: [report, ping].map((one) => ({ type: 'function', function: one })),
      toolChoice: 'REQUIRED',
    });
    assert.equal(message?.toolCalls?.[0]?.function?.arguments, '{"day": "2023-09-29"}');
  });

  it('embeds', async () => {
    const { embeddings } = await client.embed({
      model: 'embed-v4.0',
      texts: ['hello', 'goodbye'],
      inputType: 'search_document',
      embeddingTypes: ['float'],
      outputDimension: 256,
    });
    assert.deepEqual(embeddings.float, [
      [0.25, -0.5],
      [1, 0.125],
    ]);
  });

  it('reranks', async () => {
    const { results } = await client.rerank({
      model: 'rerank-v4.0-pro',
      query: 'What is the capital of the United States?',
      documents: ['Carson City is the capital of Nevada.', 'Washington, D.C. is the capital.'],
      topN: 2,
      maxTokensPerDoc: 512,
    });
    const sent = asObjects(asObject(answerOf('cohere', 'rerank'))?.results);
    assert.deepEqual(
      plain(results.map(({ index, relevanceScore }) => [index, relevanceScore])),
      sent.map(({ index, relevance_score: score }) => [index, score]),
    );
  });

  it('gets its errors as they are', async () => {
    await assert.rejects(client.chat({ model, messages: [] }), (error) => {
      assert.ok(error instanceof CohereError);
      assert.equal(error.statusCode, 400);
      assert.equal(asString(asObject(plain(error.body))?.message), failure.message);
      return true;
    });
  });

  it("sends the operator's key and not its own", () => {
    const requests = world.vendors.cohere?.requests ?? [];
    assert.ok(requests.length > 0);
    for (const { headers } of requests) assert.equal(headers.authorization, 'Bearer test-key');
    for (const { headers } of requests)
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('x-gw')),
        [],
      );
  });
});
