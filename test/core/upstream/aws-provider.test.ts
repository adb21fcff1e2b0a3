import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallFacts, FlowReply, FlowRequest, FlowTools, JsonObject, Settings } from 'portcullis/sdk';
import { ofFamily } from '../../../providers/bedrock/converse.ts';
import { embed } from '../../../providers/bedrock/embeddings.ts';
import { edited, generation } from '../../../providers/bedrock/images.ts';
import provider from '../../../providers/bedrock/index.ts';
import { outputLine, uploadedLine } from '../../../providers/bedrock/lines.ts';
import { askedModel, familyOf, foundationModel } from '../../../providers/bedrock/names.ts';
import { objectUrl, placeOf } from '../../../providers/bedrock/places.ts';

function factsOf(model: string, settings: Settings = {}): CallFacts {
  return {
    settings: { awsRegion: 'us-east-1', ...settings },
    endpoint: 'chatComplete',
    model,
    stream: false,
    params: {},
    query: {},
  };
}

const tools = (send: (request: FlowRequest) => Partial<FlowReply>): FlowTools => ({
  send: async (request) => ({ status: 200, headers: {}, bytes: new Uint8Array(), json: {}, ...send(request) }),
  open: async () => {
    throw new Error('Nothing flows.');
  },
  pause: async () => {},
  nowSeconds: () => 1,
  newId: (prefix) => `${prefix}1`,
});

describe('bedrock: names of models', () => {
  const arn = 'arn:aws:bedrock:us-east-1:123456789012:';
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['anthropic.claude-3-haiku-20240307-v1:0', 'anthropic.claude-3-haiku-20240307-v1:0'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['us-gov.amazon.nova-pro-v1:0', 'amazon.nova-pro-v1:0'],
    ['global.anthropic.claude-haiku-4-5', 'anthropic.claude-haiku-4-5'],
    ['apac.amazon.nova-lite-v1:0', 'amazon.nova-lite-v1:0'],
    ['ai21.jamba-1-5-large-v1:0', 'ai21.jamba-1-5-large-v1:0'],
    [`${arn}inference-profile/eu.amazon.nova-lite-v1:0`, 'amazon.nova-lite-v1:0'],
    ['arn:aws:bedrock:us-east-1::foundation-model/cohere.embed-english-v3', 'cohere.embed-english-v3'],
    [`${arn}application-inference-profile/a1b2`, undefined],
    [`${arn}provisioned-model/x1`, undefined],
  ];
  for (const [model, wanted] of cases) it(model, () => assert.equal(foundationModel(model), wanted));

  it('an ARN that does not tell its model is what the settings say', () => {
    const model = `${arn}application-inference-profile/a1b2`;
    assert.equal(
      askedModel({ model, settings: { awsBedrockModel: 'us.amazon.nova-lite-v1:0' } }),
      'amazon.nova-lite-v1:0',
    );
    assert.equal(familyOf(askedModel({ model, settings: {} })), 'other');
  });

  it('no segment of a path can be left', () => {
    const path = provider.endpoints.chatComplete?.path;
    assert.ok(typeof path === 'function');
    assert.equal(path(factsOf('../x?y#z')), '/model/..%2Fx%3Fy%23z/converse');
    assert.throws(() => path(factsOf('..')), { code: 'bad_request' });
  });
});

describe('bedrock: fields of the families', () => {
  const body = (fields: JsonObject, effort?: string): JsonObject => ({
    messages: [],
    additionalModelRequestFields: fields,
    ...(effort === undefined ? {} : { outputConfig: { effort } }),
  });
  const cases: readonly (readonly [string, JsonObject, JsonObject])[] = [
    ['amazon.nova-pro-v1:0', body({ top_k: 5 }), { additionalModelRequestFields: { inferenceConfig: { topK: 5 } } }],
    [
      'amazon.nova-2-lite-v1:0',
      body({}, 'max'),
      { additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } } },
    ],
    [
      'amazon.nova-2-lite-v1:0',
      body({ thinking: { type: 'enabled', budget_tokens: 1024 } }),
      { additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } } },
    ],
    ['openai.gpt-oss-20b-1:0', body({}, 'high'), { additionalModelRequestFields: { reasoning_effort: 'high' } }],
    ['cohere.command-r-v1:0', body({ top_k: 5 }), { additionalModelRequestFields: { k: 5 } }],
    [
      'anthropic.claude-opus-4-5',
      body({ anthropic_beta: 'a, b' }, 'low'),
      { additionalModelRequestFields: { anthropic_beta: ['a', 'b'] }, outputConfig: { effort: 'low' } },
    ],
    ['meta.llama3-8b', body({ x: 1 }), { additionalModelRequestFields: { x: 1 } }],
    ['anthropic.claude-3', { messages: [] }, {}],
  ];
  for (const [model, given, wanted] of cases) {
    it(`${model} ${JSON.stringify(wanted)}`, () =>
      assert.deepEqual(ofFamily(given, factsOf(model)), { messages: [], ...wanted }));
  }
});

describe('bedrock: embeddings', () => {
  it('of many texts are asked one by one, and come in their order', async () => {
    let open = 0;
    let most = 0;
    const input = Array.from({ length: 20 }, (_, index) => `t${index}`);
    const made = tools(({ body }) => {
      most = Math.max(most, ++open);
      queueMicrotask(() => --open);
      const text = String((body as JsonObject).inputText);
      return { json: { embedding: [Number(text.slice(1))], inputTextTokenCount: 2 } };
    });
    const facts = factsOf('amazon.titan-embed-text-v1');
    const result = await embed.flow?.({ facts, body: { model: facts.model, input }, files: [] }, made);
    assert.ok(result !== undefined && 'json' in result && most <= 8);
    assert.deepEqual(
      (result.json.data as JsonObject[]).map(({ embedding, index }) => [embedding, index]),
      input.map((_, index) => [[index], index]),
    );
    assert.deepEqual(result.json.usage, { prompt_tokens: 40, total_tokens: 40 });
  });

  it('of tokens are refused', async () => {
    const facts = factsOf('cohere.embed-english-v3');
    const call = { facts, body: { model: facts.model, input: [[1, 2]] }, files: [] };
    await assert.rejects(
      embed.flow?.(
        call,
        tools(() => ({})),
      ) ?? Promise.resolve(),
      { code: 'translation_unsupported' },
    );
  });
});

describe('bedrock: pictures', () => {
  it('of the first models of Stability', () => {
    const asked = generation(
      { prompt: 'A cat', size: '512x512', seed: 3, steps: 30, style: 'anime', negative_prompt: 'dog' },
      factsOf('stability.stable-diffusion-xl-v1'),
    );
    const text_prompts = [
      { text: 'A cat', weight: 1 },
      { text: 'dog', weight: -1 },
    ];
    assert.deepEqual(asked, { text_prompts, width: 512, height: 512, style_preset: 'anime', seed: 3, steps: 30 });
  });

  it('made from others', () => {
    const pictures = { image: 'AA==', mask: undefined, all: ['AA==', 'AQ=='] };
    assert.deepEqual(edited({ prompt: 'x' }, pictures, factsOf('amazon.nova-canvas-v1:0')), {
      taskType: 'IMAGE_VARIATION',
      imageVariationParams: { text: 'x', images: ['AA==', 'AQ=='] },
    });
    assert.deepEqual(edited({ prompt: 'x', mask_prompt: 'hat' }, pictures, factsOf('amazon.nova-canvas-v1:0')), {
      taskType: 'INPAINTING',
      inPaintingParams: { text: 'x', image: 'AA==', maskPrompt: 'hat' },
    });
    assert.deepEqual(edited({ prompt: 'x', strength: 0.5 }, pictures, factsOf('stability.sd3-5-large-v1:0')), {
      mode: 'image-to-image',
      prompt: 'x',
      strength: 0.5,
      image: 'AA==',
    });
    assert.throws(() => generation({ prompt: 'x', n: 2 }, factsOf('stability.sd3-5-large-v1:0')), {
      code: 'translation_unsupported',
      param: 'n',
    });
  });
});

describe('bedrock: files', () => {
  const settings: Settings = { awsRegion: 'us-east-1', awsS3Bucket: 'mine' };

  it('are found by their id, encoded or not, in the bucket of the settings alone', () => {
    const place = { bucket: 'mine', key: 'a/ü b.jsonl' };
    assert.deepEqual(placeOf('s3://mine/a/ü b.jsonl', 'id', settings), place);
    assert.deepEqual(placeOf(encodeURIComponent('s3://mine/a/ü b.jsonl'), 'id', settings), place);
    assert.equal(objectUrl(place, settings), 'https://s3.us-east-1.amazonaws.com/mine/a/%C3%BC%20b.jsonl');
    assert.throws(() => placeOf('s3://other/a', 'id', settings), { code: 'not_found' });
    assert.throws(() => placeOf('s3://mine/../other/a', 'id', settings), { code: 'bad_request' });
    assert.throws(() => placeOf('file-1', 'id', settings), { code: 'bad_request' });
    assert.throws(() => placeOf('s3://mine/a', 'id', {}), { code: 'missing_credentials' });
  });

  const line = (url: string, body: JsonObject) => JSON.stringify({ custom_id: 'r', method: 'POST', url, body });

  it('hold lines of every client format, as Converse requests', () => {
    const hi = [{ role: 'user', content: 'Hi' }];
    const bodies: Readonly<Record<string, JsonObject>> = {
      '/v1/chat/completions': { model: 'm', messages: hi },
      '/v1/messages': { model: 'm', max_tokens: 9, messages: hi },
      '/v1/responses': { model: 'm', input: 'Hi' },
    };
    for (const [url, body] of Object.entries(bodies)) {
      const { recordId, modelInput } = JSON.parse(uploadedLine(line(url, body), 1, undefined, settings));
      assert.deepEqual([recordId, modelInput.messages], ['r', [{ role: 'user', content: [{ text: 'Hi' }] }]]);
    }
    const vector = JSON.parse(
      uploadedLine(line('/v1/embeddings', { model: 'm', input: 'Hi' }), 1, 'amazon.titan-embed-text-v2:0', settings),
    );
    assert.deepEqual(vector, { recordId: 'r', modelInput: { inputText: 'Hi' } });
    const native = JSON.stringify({ recordId: 'r', modelInput: { a: 1 } });
    assert.equal(uploadedLine(native, 1, undefined, settings), native);
    assert.throws(() => uploadedLine(line('/v1/images', {}), 3, undefined, settings), /Line 3/);
    assert.throws(() => uploadedLine('no json', 4, undefined, settings), /Line 4/);
  });

  it('give answers of every kind in the form of OpenAI', () => {
    const lineTools = { nowSeconds: () => 1, newId: (prefix: string) => `${prefix}1` };
    const read = (json: JsonObject) =>
      JSON.parse(outputLine(JSON.stringify({ recordId: 'r', ...json }), 'm', lineTools));
    const claude = {
      type: 'message',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 2 },
    };
    assert.equal(read({ modelOutput: claude }).response.body.choices[0].message.content, 'Hi');
    assert.deepEqual(read({ modelOutput: { embedding: [1], inputTextTokenCount: 3 } }).response.body.usage, {
      prompt_tokens: 3,
      total_tokens: 3,
    });
    assert.deepEqual(read({ modelOutput: { other: 1 } }).response.body, { other: 1 });
    assert.equal(read({ error: { errorCode: 400, errorMessage: 'bad' } }).response.body.error.message, 'bad');
    assert.equal(outputLine('{"processedRecordCount":2}', 'm', lineTools), '{"processedRecordCount":2}');
  });
});
