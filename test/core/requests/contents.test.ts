import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../sdk/json.ts';
import { accepts, type FieldCase, refusal, testFields } from './field-table.ts';
import { filled } from './openai-tables.ts';

const said = { role: 'user', parts: [{ text: 'a' }] };
const base = { contents: [said] };

const contents: FieldCase = {
  field: 'contents',
  nullable: false,
  good: [
    [said],
    said,
    { parts: { text: 'a' } },
    filled(3, said),
    [{ role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }, { thought: true, text: 't' }] }],
    [{ parts: [{ function_response: { name: 'f', response: {} } }] }],
    [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'x' } }, { laterKind: { any: 1 } }] }],
  ],
  bad: [
    { value: [], says: 'got an empty array' },
    { value: filled(100_001, said), says: 'got 100001 items' },
    { value: 'a', says: 'a content or an array of 1 to 100000 contents' },
    { value: ['a'], says: 'an object', at: 'contents[0]' },
    { value: [{ parts: 'a' }], says: 'a part or an array of parts', at: 'contents[0].parts' },
    { value: [{ parts: ['a'] }], says: 'an object', at: 'contents[0].parts[0]' },
    { value: [{ parts: [{ text: 1 }] }], says: 'a string', at: 'contents[0].parts[0].text' },
    { value: { parts: { text: 1 } }, says: 'a string', at: 'contents.parts.text' },
    {
      value: [{ parts: [{ functionCall: {} }] }],
      says: 'is required',
      at: 'contents[0].parts[0].functionCall.name',
    },
    {
      value: [{ parts: [{ inline_data: {} }] }],
      says: 'is required',
      at: 'contents[0].parts[0].inline_data.data',
    },
  ],
};

const settings: readonly FieldCase[] = ['generationConfig', 'generation_config'].map((field) => ({
  field,
  nullable: true,
  good: [{}, { temperature: 0, maxOutputTokens: 1, top_k: 40, stopSequences: ['x'], seed: null, laterField: 1 }],
  bad: [
    { value: 'a', says: 'an object' },
    { value: { temperature: 2.5 }, says: 'from 0 to 2', at: `${field}.temperature` },
    { value: { max_output_tokens: 1.5 }, says: 'an integer', at: `${field}.max_output_tokens` },
    { value: { candidateCount: 0 }, says: 'at least 1', at: `${field}.candidateCount` },
    { value: { stopSequences: 'x' }, says: 'an array', at: `${field}.stopSequences` },
  ],
}));

testFields('generate_content', base, [
  contents,
  ...settings,
  {
    field: 'systemInstruction',
    nullable: true,
    good: ['a', said, { parts: { text: 'a' } }],
    bad: [
      { value: 1, says: 'a string or a content' },
      { value: { parts: [1] }, says: 'an object', at: 'systemInstruction.parts[0]' },
    ],
  },
  {
    field: 'tools',
    nullable: true,
    good: [[{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }], { codeExecution: {} }],
    bad: [
      { value: 'a', says: 'a tool or an array of tools' },
      {
        value: [{ functionDeclarations: [{}] }],
        says: 'is required',
        at: 'tools[0].functionDeclarations[0].name',
      },
    ],
  },
]);

testFields('batch_embed_contents', { requests: [{ content: said }] }, [
  {
    field: 'requests',
    nullable: false,
    good: [filled(2048, { content: said }), [{ model: 'models/m', content: said, outputDimensionality: 3 }]],
    bad: [
      { value: [], says: 'got an empty array' },
      { value: filled(2049, { content: said }), says: 'got 2049 items' },
      { value: [{}], says: 'is required', at: 'requests[0].content' },
      {
        value: [{ content: said, output_dimensionality: 0 }],
        says: 'at least 1',
        at: 'requests[0].output_dimensionality',
      },
    ],
  },
]);

describe('what is to be counted', () => {
  it('is a request of its own or the contents', () => {
    const bad: readonly [JsonObject, string][] = [
      [{}, 'contents'],
      [{ contents: null }, 'contents'],
      [{ generateContentRequest: {} }, 'generateContentRequest.contents'],
    ];
    for (const [body, field] of bad) assert.equal(refusal('count_content_tokens', body).param, field);
    accepts('count_content_tokens', { generateContentRequest: { model: 'models/m', ...base } });
  });
});
