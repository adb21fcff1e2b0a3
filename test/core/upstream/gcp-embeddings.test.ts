import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObjects, type FlowReply, type FlowRequest, type FlowTools, type JsonObject } from 'portcullis/sdk';
import { embed, embedOneByOne } from '../../../providers/vertex-ai/embeddings.ts';
import { ofPublisher, projectOf } from '../../../providers/vertex-ai/places.ts';

const settings = { vertexProjectId: 'my-project', vertexRegion: 'us-central1' };
const factsOf = (model: string) =>
  ({ settings, endpoint: 'embed', model, stream: false, params: {}, query: {} }) as const;

async function run(model: string, body: JsonObject) {
  const sent: FlowRequest[] = [];
  let open = 0;
  let most = 0;
  const send = async (request: FlowRequest): Promise<FlowReply> => {
    const place = sent.push(request);
    open += 1;
    most = Math.max(most, open);
    // Later requests are answered first.
    await new Promise((resolve) => setTimeout(resolve, 20 - place));
    open -= 1;
    const values = [place];
    const json: JsonObject = request.url.endsWith(':embedContent')
      ? { embedding: { values }, usageMetadata: { promptTokenCount: 2 } }
      : { predictions: [{ embeddings: { values, statistics: { token_count: 2 } } }] };
    return { status: 200, headers: {}, bytes: new Uint8Array(), json };
  };
  const tools: FlowTools = {
    send,
    open: () => Promise.reject(new Error('not here')),
    pause: () => Promise.resolve(),
    nowSeconds: () => 1,
    newId: (prefix) => prefix,
  };
  const result = await embedOneByOne.flow?.({ facts: factsOf(model), body, files: [] }, tools);
  assert.ok(result !== undefined && 'json' in result);
  return { sent, most, json: result.json };
}

describe('embeddings of models that take one text at a time', () => {
  it('come in the order of the texts, some at a time', async () => {
    const input = Array.from({ length: 12 }, (_, index) => `text ${index}`);
    const { sent, most, json } = await run('gemini-embedding-001', { model: 'gemini-embedding-001', input });
    assert.equal(sent.length, 12);
    assert.ok(most <= 5);
    const vectors = asObjects(json.data).map(({ embedding }) => embedding);
    assert.deepEqual(
      vectors,
      Array.from({ length: 12 }, (_, index) => [index + 1]),
    );
    assert.deepEqual(json.usage, { prompt_tokens: 24, total_tokens: 24 });
  });

  it('answer clients of the other format in theirs', async () => {
    const body = { content: { parts: [{ text: 'a' }] }, outputDimensionality: 3 };
    const { sent, json } = await run('gemini-embedding-2', body);
    assert.deepEqual(sent[0]?.body, {
      content: { parts: [{ text: 'a' }] },
      embedContentConfig: { outputDimensionality: 3 },
    });
    assert.deepEqual(json.embedding, { values: [1] });
  });
});

describe('embeddings of several media', () => {
  const request = (body: JsonObject) => embed.request?.(body, factsOf('multimodalembedding@001'));

  it('take texts, pictures and films in each spelling', () => {
    const input = [
      { text: 'a cat', image: { url: 'data:image/png;base64,AAAA' } },
      { image: { url: 'gs://bucket/cat.png' } },
      { video: { gcsUri: 'gs://bucket/cat.mp4', videoSegmentConfig: { startOffsetSec: 0, endOffsetSec: 8 } } },
    ];
    assert.deepEqual(request({ input }), {
      instances: [
        { text: 'a cat', image: { bytesBase64Encoded: 'AAAA', mimeType: 'image/png' } },
        { image: { gcsUri: 'gs://bucket/cat.png' } },
        { video: { gcsUri: 'gs://bucket/cat.mp4', videoSegmentConfig: { startOffsetSec: 0, endOffsetSec: 8 } } },
      ],
    });
  });

  it('refuse tokens', () => {
    assert.throws(() => embed.request?.({ input: [1, 2] }, factsOf('text-embedding-005')), {
      code: 'translation_unsupported',
    });
  });
});

describe('fields of embeddings that have no place of their own', () => {
  const more = { input: 'a', user: 'u', encoding_format: 'float', sparse_terms: 3 };

  it('go to the parameters', () => {
    for (const model of ['text-embedding-005', 'multimodalembedding@001']) {
      const body = embed.request?.(more, factsOf(model));
      assert.deepEqual(body?.parameters, { sparseTerms: 3 }, model);
    }
  });

  it('go to the config of the newest models', async () => {
    const { sent } = await run('gemini-embedding-2', more);
    assert.deepEqual(sent[0]?.body, { content: { parts: [{ text: 'a' }] }, embedContentConfig: { sparseTerms: 3 } });
  });
});

describe('the project', () => {
  const key = { project_id: 'from-key' };
  it('is that of the settings, else that of the key file', () => {
    assert.equal(projectOf({ ...settings, vertexServiceAccountJson: key }), 'my-project');
    assert.equal(projectOf({ vertexServiceAccountJson: key }), 'from-key');
    assert.equal(projectOf({ vertexServiceAccountJson: JSON.stringify(key) }), 'from-key');
  });

  it('is needed, and may hold no path', () => {
    assert.throws(() => projectOf({}), { code: 'missing_credentials' });
    assert.throws(() => projectOf({ vertexServiceAccountJson: { project_id: '../../x' } }), {
      code: 'missing_credentials',
    });
  });

  it('is in no path of an API key', () => {
    const path = ofPublisher({ apiKey: 'AIzaKey' }, 'google', 'gemini-2.5-flash', 'generateContent');
    assert.equal(path, '/v1/publishers/google/models/gemini-2.5-flash:generateContent');
  });

  for (const model of ['', '.', '..'])
    it(`is not left by the model "${model}"`, () =>
      assert.throws(() => ofPublisher(settings, 'google', model, 'predict'), { code: 'bad_request' }));

  it('is not left by slashes in a model', () => {
    const path = ofPublisher(settings, 'google', '../../x?y', 'predict');
    assert.match(path, /models\/\.\.%2F\.\.%2Fx%3Fy:predict$/);
  });
});
