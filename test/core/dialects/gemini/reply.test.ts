import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gemini } from '../../../../sdk/dialects/gemini/index.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { context, fixture, frozen } from './context.ts';

const reply = (parts: readonly JsonObject[], fields: JsonObject = {}): JsonObject =>
  frozen({
    candidates: [{ content: { parts, role: 'model' }, finishReason: 'STOP', index: 0, ...fields }],
    responseId: 'r',
    modelVersion: 'm',
  });
const choiceOf = (body: JsonObject) => gemini.decodeReply(body, context()).choices[0];

describe('gemini replies', () => {
  it('decode text, citations, raw grounding and usage', () => {
    const body = fixture('grounded-reply.json');
    const completion = gemini.decodeReply(body, context());
    const [candidate] = body.candidates as readonly JsonObject[];
    assert.equal(completion.id, 'cNSfaL2nLvCez7IPxKGWuAg');
    assert.equal(completion.model, 'gemini-2.5-flash');
    assert.equal(completion.created, 1_700_000_000);
    assert.equal(completion.serviceTier, 'standard');
    assert.deepEqual(completion.choices, [
      {
        index: 0,
        parts: [
          {
            type: 'text',
            text: 'Spain won Euro 2024, defeating England 2-1 in the final.',
            citations: [
              { type: 'url_citation', url: 'https://vertexaisearch.cloud.google.com/1', title: 'aljazeera.com' },
              { type: 'url_citation', url: 'https://vertexaisearch.cloud.google.com/2', title: 'uefa.com' },
            ],
          },
        ],
        finish: 'stop',
        nativeFinish: 'STOP',
        extra: { groundingMetadata: candidate?.groundingMetadata },
      },
    ]);
    assert.deepEqual(completion.usage, {
      input: 102,
      output: 60,
      total: 162,
      cacheRead: 4,
      reasoning: 42,
      audioInput: 5,
      audioOutput: 6,
      serverTools: { webSearchQueries: 2 },
    });
  });

  it('decode every part of every candidate', () => {
    const choice = choiceOf(
      reply([
        { text: 'hm', thought: true },
        { text: 'answer', thoughtSignature: 's1' },
        { functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 's2' },
        { functionCall: { id: 'own', name: 'g' } },
        { inlineData: { mimeType: 'image/png', data: 'AA==' } },
        { inlineData: { mimeType: 'audio/wav', data: 'AA==' } },
        { executableCode: { language: 'PYTHON', code: '1' } },
        { somethingNew: true },
      ]),
    );
    assert.equal(choice?.finish, 'tool_calls');
    assert.deepEqual(choice?.parts, [
      { type: 'thinking', text: 'hm' },
      { type: 'thinking', text: '', signature: 's1' },
      { type: 'text', text: 'answer' },
      { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{"x":1}', signature: 's2' },
      { type: 'tool-call', id: 'own', name: 'g', arguments: '{}' },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } },
      { type: 'audio', source: { kind: 'base64', mediaType: 'audio/wav', data: 'AA==' }, format: 'wav' },
      { type: 'native', dialect: 'gemini', value: { executableCode: { language: 'PYTHON', code: '1' } } },
      { type: 'native', dialect: 'gemini', value: { somethingNew: true } },
    ]);
  });

  const words: readonly (readonly [string, string])[] = [
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['SPII', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['RECITATION', 'stop'],
    ['OTHER', 'stop'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
    ['toString', 'stop'],
  ];
  for (const [word, finish] of words) {
    it(`finish with ${word} as ${finish}`, () => {
      const choice = choiceOf(reply([{ text: 'x' }], { finishReason: word }));
      assert.deepEqual([choice?.finish, choice?.nativeFinish], [finish, word]);
    });
  }

  it('of a blocked prompt are one empty filtered choice', () => {
    assert.deepEqual(choiceOf(frozen({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })), {
      index: 0,
      parts: [],
      finish: 'content_filter',
      nativeFinish: 'PROHIBITED_CONTENT',
    });
  });

  it('carry log probabilities both ways', () => {
    const logprobsResult = {
      topCandidates: [
        {
          candidates: [
            { token: 'a', logProbability: -0.1 },
            { token: 'b', logProbability: -2 },
          ],
        },
      ],
      chosenCandidates: [{ token: 'a', logProbability: -0.1 }],
    };
    const completion = gemini.decodeReply(reply([{ text: 'a' }], { logprobsResult }), context());
    assert.deepEqual(completion.choices[0]?.logprobs, {
      content: [
        {
          token: 'a',
          logprob: -0.1,
          bytes: null,
          top_logprobs: [
            { token: 'a', logprob: -0.1, bytes: null },
            { token: 'b', logprob: -2, bytes: null },
          ],
        },
      ],
      refusal: null,
    });
    const [candidate] = gemini.encodeReply(frozen(completion), context()).candidates as readonly JsonObject[];
    assert.deepEqual(candidate?.logprobsResult, logprobsResult);
  });

  it('are the same after decoding and encoding', () => {
    const body = reply(
      [
        { text: 'hm', thought: true },
        { text: 'answer', thoughtSignature: 's1' },
        { functionCall: { id: 'c', name: 'f', args: {} }, thoughtSignature: 's2' },
        { executableCode: { code: '1' } },
      ],
      { safetyRatings: [], avgLogprobs: -0.5 },
    );
    assert.deepEqual(gemini.encodeReply(frozen(gemini.decodeReply(body, context())), context()), body);
  });

  it('encode answers of other formats', () => {
    const body = gemini.encodeReply(
      frozen({
        id: 'chatcmpl-1',
        model: 'gpt',
        choices: [
          {
            index: 0,
            parts: [
              { type: 'redacted-thinking', data: 'x' },
              {
                type: 'text',
                text: 'hi',
                citations: [{ type: 'url_citation', url_citation: { url: 'https://a.test', title: 'A' } }],
              },
              { type: 'tool-call', id: 'c', name: 'f', arguments: 'free', custom: true },
            ],
            finish: 'tool_calls',
            nativeFinish: 'tool_calls',
            extra: { content_filter_results: {} },
          },
          { index: 1, parts: [], finish: 'length' },
        ],
        usage: { input: 10, output: 7, reasoning: 3, cacheRead: 2, audioInput: 4 },
      }),
      context(),
    );
    assert.deepEqual(body, {
      candidates: [
        {
          groundingMetadata: { groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }] },
          content: {
            parts: [{ text: 'hi' }, { functionCall: { id: 'c', name: 'f', args: { input: 'free' } } }],
            role: 'model',
          },
          finishReason: 'STOP',
          index: 0,
        },
        { content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'MAX_TOKENS', index: 1 },
      ],
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 4,
        totalTokenCount: 17,
        cachedContentTokenCount: 2,
        thoughtsTokenCount: 3,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 6 },
          { modality: 'AUDIO', tokenCount: 4 },
        ],
      },
      modelVersion: 'gpt',
      responseId: 'chatcmpl-1',
    });
  });

  for (const body of [
    {},
    { candidates: 'x' },
    { candidates: [{}] },
    { candidates: [{ content: { parts: [{}, null] } }], usageMetadata: [] },
  ]) {
    it(`survive malformed input: ${JSON.stringify(body)}`, () => {
      const completion = gemini.decodeReply(frozen(body) as JsonObject, context({ request: { model: 'asked' } }));
      assert.equal(completion.model, 'asked');
      assert.equal(completion.choices.length, 1);
    });
  }
});

describe('gemini faults', () => {
  const google = (code: number, status: string, message = 'm', details: readonly JsonObject[] = []): JsonObject => ({
    error: { code, message, status, details },
  });
  const cases: readonly (readonly [string, unknown, number, unknown])[] = [
    [
      'a quota',
      google(429, 'RESOURCE_EXHAUSTED'),
      429,
      { status: 429, message: 'm', type: 'rate_limit_error', code: 'RESOURCE_EXHAUSTED' },
    ],
    [
      'an overload',
      google(503, 'UNAVAILABLE', 'The model is overloaded.'),
      200,
      { status: 503, message: 'The model is overloaded.', type: 'overloaded_error', code: 'UNAVAILABLE' },
    ],
    [
      'an array',
      [google(400, 'INVALID_ARGUMENT')],
      400,
      { status: 400, message: 'm', type: 'invalid_request_error', code: 'INVALID_ARGUMENT' },
    ],
    [
      'a bad field',
      google(400, 'INVALID_ARGUMENT', 'm', [{ fieldViolations: [{ field: 'contents[0]' }] }]),
      400,
      { status: 400, message: 'm', type: 'invalid_request_error', code: 'INVALID_ARGUMENT', param: 'contents[0]' },
    ],
    [
      'a bad key',
      google(400, 'INVALID_ARGUMENT', 'm', [{ reason: 'API_KEY_INVALID' }]),
      400,
      { status: 400, message: 'm', type: 'authentication_error', code: 'INVALID_ARGUMENT' },
    ],
    ['a sloppy message', { message: 'x' }, 502, { status: 502, message: 'x', type: 'api_error' }],
    ['a sloppy string', { error: 'x' }, 404, { status: 404, message: 'x', type: 'not_found_error' }],
    ['a message in a good reply', { message: 'x' }, 200, undefined],
    ['no error', { candidates: [] }, 200, undefined],
  ];
  for (const [name, body, status, expected] of cases) {
    it(`are found in ${name}`, () => assert.deepEqual(gemini.faultOf(frozen(body) as JsonObject, status), expected));
  }

  it('encode as the API does, with the request id', () => {
    assert.deepEqual(gemini.encodeFault({ status: 529, message: 'm' }, 'req_1'), {
      error: {
        code: 529,
        message: 'm',
        status: 'UNAVAILABLE',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RequestInfo', requestId: 'req_1' }],
      },
    });
  });
});
