import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ApiError, GoogleGenAI } from '@google/genai';
import { asObject, asObjects } from 'portcullis/sdk';
import { answerOf, route, routesOf } from '../support/recorded-routes/cases.ts';
import { openRecorded, plain, type RecordedWorld } from '../support/recorded-routes/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

const model = 'gemini-2.5-flash';
const contents = 'Explain how AI works';
const place = `/v1beta/models/${model}`;
const asked = { contents: [{ role: 'user', parts: [{ text: contents }] }] };
const vectors = { embeddings: [{ values: [0.5, -0.25] }, { values: [1, 0] }] };
const quota = { error: { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED' } };
const chatAnswer = asObject(answerOf('google', 'chat')) ?? assert.fail('no answer');

const routes = [
  ...routesOf('google', ['stream']),
  route('POST', `${place}:generateContent`, chatAnswer, { body: asked }),
  route('POST', `${place}:countTokens`, { totalTokens: 11 }, { body: asked }),
  route('POST', '/v1beta/models/gemini-embedding-001:batchEmbedContents', vectors, {
    body: {
      requests: ['Life?', 'Brains?'].map((text) => ({
        model: 'models/gemini-embedding-001',
        content: { role: 'user', parts: [{ text }] },
        outputDimensionality: 2,
      })),
    },
  }),
  route('POST', '/v1beta/models/gemini-none:generateContent', quota, { status: 429, body: asked }),
  route('GET', `${place}`, { name: `models/${model}`, displayName: 'Gemini 2.5 Flash' }),
];

describe('the google SDK', () => {
  const scope = suiteScope();
  let world: RecordedWorld;
  let client: GoogleGenAI;
  before(async () => {
    world = await openRecorded(scope, { google: routes });
    client = new GoogleGenAI({
      apiKey: 'portcullis',
      httpOptions: {
        baseUrl: `${world.gateway.url}/v1/proxy`,
        apiVersion: '',
        headers: { 'x-gw-provider': '@google' },
      },
    });
  });

  it('generates', async () => {
    const answer = await client.models.generateContent({ model, contents });
    assert.equal(answer.text, '{"text":"A mouse."}');
    assert.equal(answer.usageMetadata?.totalTokenCount, 28);
    assert.equal(answer.candidates?.[0]?.finishReason, 'STOP');
  });

  it('streams what it generates', async () => {
    const texts: string[] = [];
    for await (const chunk of await client.models.generateContentStream({ model, contents }))
      texts.push(chunk.text ?? '');
    assert.match(texts.join(''), /^AI learns patterns from wörlds of data\./);
    assert.equal(texts.length, asObjects(answerOf('google', 'stream')).length);
  });

  it('embeds', async () => {
    const { embeddings } = await client.models.embedContent({
      model: 'gemini-embedding-001',
      contents: ['Life?', 'Brains?'],
      config: { outputDimensionality: 2 },
    });
    assert.deepEqual(plain(embeddings), vectors.embeddings);
  });

  it('counts tokens, and looks a model up', async () => {
    assert.equal((await client.models.countTokens({ model, contents })).totalTokens, 11);
    assert.equal((await client.models.get({ model })).displayName, 'Gemini 2.5 Flash');
  });

  it('finds its way without the proxy in its path', async () => {
    const httpOptions = { baseUrl: world.gateway.url, headers: { 'x-gw-provider': '@google' } };
    const direct = new GoogleGenAI({ apiKey: 'portcullis', apiVersion: 'v1', httpOptions });
    assert.equal((await direct.models.generateContent({ model, contents })).text, '{"text":"A mouse."}');
    const stream = await direct.models.generateContentStream({ model, contents });
    assert.ok((await Array.fromAsync(stream)).length > 1);
  });

  it('gets its errors as they are', async () => {
    await assert.rejects(client.models.generateContent({ model: 'gemini-none', contents }), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.status, 429);
      assert.match(error.message, /RESOURCE_EXHAUSTED/);
      return true;
    });
  });

  it("sends the operator's key and not its own", () => {
    const requests = world.vendors.google?.requests ?? [];
    assert.ok(requests.length > 0);
    for (const { headers, path } of requests) {
      assert.equal(headers['x-goog-api-key'], 'test-key');
      assert.doesNotMatch(path, /key=/);
    }
  });
});
