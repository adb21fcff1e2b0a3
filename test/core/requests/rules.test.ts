import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../sdk/json.ts';
import type { RequestKind } from '../../../sdk/requests/index.ts';
import { accepts, refusal } from './field-table.ts';

const base = {
  chat: { messages: [{ role: 'user', content: 'a' }] },
  completions: { prompt: 'a' },
  messages: { max_tokens: 1, messages: [{ role: 'user', content: 'a' }] },
  count_tokens: { messages: [{ role: 'user', content: 'a' }] },
  responses: { input: 'a' },
  generate_content: { contents: [{ parts: [{ text: 'a' }] }] },
  count_content_tokens: { contents: [{ parts: [{ text: 'a' }] }] },
  embeddings: { input: 'a' },
  v2_chat: { messages: [{ role: 'user', content: 'a' }] },
  v2_embed: { texts: ['a'] },
  embed_content: { content: { parts: [{ text: 'a' }] } },
  batch_embed_contents: { requests: [{ content: { parts: [{ text: 'a' }] } }] },
  rerank: { query: 'a', documents: ['b'] },
  images: { prompt: 'a' },
  image_edits: { prompt: 'a' },
  speech: { input: 'a', voice: 'v' },
  transcriptions: { model: 'm' },
  moderations: { input: 'a' },
  ocr: { document: { type: 'document_url', document_url: 'https://example.com/a.pdf' } },
  files: { purpose: 'batch' },
  batches: { input_file_id: 'f', endpoint: '/v1/chat/completions' },
  fine_tuning: { training_file: 'f' },
} satisfies Record<RequestKind, JsonObject>;

interface Refused {
  readonly kind: RequestKind;
  readonly fields: JsonObject;
  readonly param: string;
  readonly says: string;
  readonly strict?: boolean;
}

const refused: readonly Refused[] = [
  { kind: 'chat', fields: { top_logprobs: 2 }, param: 'top_logprobs', says: 'logprobs is true' },
  { kind: 'chat', fields: { top_logprobs: 0, logprobs: false }, param: 'top_logprobs', says: 'logprobs is true' },
  { kind: 'chat', fields: { top_logprobs: 2, logprobs: null }, param: 'top_logprobs', says: 'logprobs is true' },
  ...(['chat', 'completions', 'responses'] as const).flatMap((kind) =>
    [{}, { stream: false }, { stream: null }].map((stream) => ({
      kind,
      fields: { ...stream, stream_options: {} },
      param: 'stream_options',
      says: 'stream is true',
    })),
  ),
  {
    kind: 'chat',
    fields: { thinking: { type: 'disabled' } },
    param: 'thinking',
    says: 'strict compliance',
    strict: true,
  },
  { kind: 'completions', fields: { best_of: 2, n: 3 }, param: 'best_of', says: 'greater than n (3)' },
  { kind: 'completions', fields: { best_of: 3, n: 3 }, param: 'best_of', says: 'got 3' },
  {
    kind: 'completions',
    fields: { best_of: 2, stream: true },
    param: 'best_of',
    says: 'at most 1 when stream is true',
  },
  {
    kind: 'responses',
    fields: { conversation: 'c', previous_response_id: 'r' },
    param: 'previous_response_id',
    says: 'without conversation',
  },
];

describe('rules between fields', () => {
  for (const { kind, fields, param, says, strict } of refused) {
    it(`refuses ${kind} with ${JSON.stringify(fields)}`, () => {
      const error = refusal(kind, { ...base[kind], ...fields }, strict);
      assert.equal(error.param, param);
      assert.ok(error.message.includes(says), error.message);
    });
  }

  const passed: readonly [RequestKind, JsonObject, boolean?][] = [
    ['chat', { top_logprobs: 2, logprobs: true }],
    ['chat', { top_logprobs: null }],
    ['chat', { stream: true, stream_options: { include_usage: true } }],
    ['chat', { stream_options: null }],
    ['chat', { thinking: { type: 'enabled', budget_tokens: 1 } }, false],
    ['chat', { thinking: null }, true],
    ['completions', { best_of: 4, n: 3 }],
    ['completions', { best_of: 1, stream: true }],
    ['completions', { best_of: 2, n: null }],
    ['completions', { best_of: null, n: 3, stream: true }],
    ['messages', { thinking: { type: 'enabled', budget_tokens: 1024 } }, true],
    ['responses', { conversation: null, previous_response_id: 'r' }],
    ['responses', { top_logprobs: 3 }],
  ];
  for (const [kind, fields, strict] of passed) {
    it(`accepts ${kind} with ${JSON.stringify(fields)}`, () => accepts(kind, { ...base[kind], ...fields }, strict));
  }
});

describe('required fields', () => {
  const required: readonly [RequestKind, string][] = [
    ['chat', 'messages'],
    ['completions', 'prompt'],
    ['messages', 'messages'],
    ['messages', 'max_tokens'],
    ['count_tokens', 'messages'],
    ['responses', 'input'],
    ['embeddings', 'input'],
    ['v2_chat', 'messages'],
    ['generate_content', 'contents'],
    ['embed_content', 'content'],
    ['batch_embed_contents', 'requests'],
  ];
  for (const [kind, field] of required) {
    it(`refuses ${kind} without ${field}`, () => {
      const { [field]: _, ...rest } = base[kind] as JsonObject;
      const error = refusal(kind, rest);
      assert.equal(error.param, field);
      assert.ok(error.message.startsWith(`${field} is required: a`), error.message);
    });
  }
  it('refuses count_content_tokens with nothing to count', () => {
    assert.equal(refusal('count_content_tokens', {}).param, 'contents');
    accepts('count_content_tokens', { generateContentRequest: base.generate_content });
    accepts('count_content_tokens', { generate_content_request: base.generate_content });
  });
  for (const stored of ['previous_response_id', 'conversation']) {
    it(`accepts responses without input when ${stored} stands in its place`, () =>
      accepts('responses', { [stored]: 'x' }));
  }
  for (const kind of Object.keys(base) as RequestKind[]) {
    it(`accepts the smallest ${kind} body without changing it`, () => {
      const body = structuredClone(base[kind]);
      accepts(kind, body, true);
      assert.deepEqual(body, base[kind]);
    });
  }
});
