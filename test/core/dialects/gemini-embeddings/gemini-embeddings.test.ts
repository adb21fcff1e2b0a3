import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { geminiEmbeddings } from '../../../../sdk/dialects/gemini-embeddings/index.ts';
import { context, frozen } from '../gemini/context.ts';

const batch = frozen({
  requests: ['What is the meaning of life?', 'How much wood?'].map((text) => ({
    model: 'models/gemini-embedding-001',
    content: { parts: [{ text }] },
    outputDimensionality: 768,
    taskType: 'RETRIEVAL_QUERY',
  })),
});

describe('gemini embeddings', () => {
  it('are the same request after decoding and encoding', () => {
    const call = geminiEmbeddings.decodeCall(batch, context());
    assert.deepEqual(call, {
      model: 'models/gemini-embedding-001',
      input: ['What is the meaning of life?', 'How much wood?'],
      dimensions: 768,
      dialect: 'gemini-embeddings',
      extra: { taskType: 'RETRIEVAL_QUERY' },
    });
    assert.deepEqual(geminiEmbeddings.encodeCall(frozen(call), context()), batch);
  });

  it('encode one request for each text and say what is dropped', () => {
    const strict = context();
    const call = frozen({
      model: 'm',
      input: ['a', 'b'],
      user: 'u',
      extra: { task_type: 'CLUSTERING', truncate: true },
    });
    assert.deepEqual(geminiEmbeddings.encodeCall(call, strict), {
      requests: ['a', 'b'].map((text) => ({ model: 'models/m', content: { parts: [{ text }] } })),
    });
    assert.deepEqual(strict.drops, ['task_type', 'truncate', 'user']);
    const loose = geminiEmbeddings.encodeCall(call, context({ strict: false })) as {
      requests: readonly { taskType?: string }[];
    };
    assert.equal(loose.requests[1]?.taskType, 'CLUSTERING');
  });

  it('refuse token arrays', () => {
    const call = frozen({ model: 'm', input: ['a', [1, 2]], extra: {} });
    assert.throws(() => geminiEmbeddings.encodeCall(call, context()), {
      code: 'translation_unsupported',
      param: 'input[1]',
    });
  });

  it('refuse a batch whose settings differ', () => {
    const body = frozen({
      requests: [{ content: { parts: [{ text: 'a' }] } }, { content: { parts: [{ text: 'b' }] }, taskType: 'X' }],
    });
    assert.throws(() => geminiEmbeddings.decodeCall(body, context()), {
      code: 'translation_unsupported',
      param: 'requests[1]',
    });
  });

  it('decode vectors in order, with usage when given', () => {
    const body = frozen({
      embeddings: [{ values: [0.1, -0.2] }, { values: [1] }],
      usageMetadata: { promptTokenCount: 9 },
    });
    const embeddings = geminiEmbeddings.decodeReply(body, context({ request: { model: 'm' } }));
    assert.deepEqual(embeddings, { model: 'm', vectors: [[0.1, -0.2], [1]], usage: { input: 9, output: 0 } });
    assert.deepEqual(geminiEmbeddings.encodeReply(frozen(embeddings), context()), {
      embeddings: [{ values: [0.1, -0.2] }, { values: [1] }],
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
    });
  });

  it('serve the single form of the request', () => {
    const request = frozen({ content: { parts: [{ text: 'a' }] }, output_dimensionality: 3 });
    assert.deepEqual(geminiEmbeddings.decodeCall(request, context()), {
      model: '',
      input: ['a'],
      dimensions: 3,
      dialect: 'gemini-embeddings',
      extra: {},
    });
    const reply = geminiEmbeddings.encodeReply({ model: 'm', vectors: [[1, 2]] }, context({ request }));
    assert.deepEqual(reply, { embedding: { values: [1, 2] } });
    assert.deepEqual(geminiEmbeddings.decodeReply(frozen(reply), context()).vectors, [[1, 2]]);
  });

  it('tell faults like the other endpoints of the API', () => {
    const body = frozen({ error: { code: 429, message: 'q', status: 'RESOURCE_EXHAUSTED' } });
    assert.equal(geminiEmbeddings.faultOf(body, 429)?.type, 'rate_limit_error');
  });
});
