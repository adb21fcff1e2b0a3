import { describe, it } from 'node:test';
import type { DialectName, Endpoint, JsonObject } from 'portcullis/sdk';
import { assertKept, startCache, targetWith } from './asking.ts';

describe('a whole answer', () => {
  const shapes: readonly [DialectName, Endpoint, JsonObject, boolean][] = [
    ['chat', 'chatComplete', { choices: [{ finish_reason: 'tool_calls' }] }, true],
    ['completions', 'complete', { choices: [{ text: 'a', finish_reason: 'stop' }] }, true],
    ['completions', 'complete', { choices: [{ text: 'a', finish_reason: null }] }, false],
    ['messages', 'messages', { type: 'message', content: [], stop_reason: 'end_turn' }, true],
    ['messages', 'messages', { type: 'message', content: [], stop_reason: null }, false],
    ['messages', 'messages', {}, false],
    ['messages', 'messagesCountTokens', { input_tokens: 3 }, true],
    ['responses', 'createModelResponse', { status: 'completed', output: [] }, true],
    ['responses', 'createModelResponse', { status: 'incomplete', output: [] }, true],
    ['responses', 'createModelResponse', { status: 'in_progress', output: [] }, false],
    ['responses', 'createModelResponse', { status: 'queued', output: [] }, false],
    ['responses', 'createModelResponse', { status: 'cancelled', output: [] }, false],
    ['responses', 'createModelResponse', { output: [] }, false],
    ['embeddings', 'embed', { data: [{ embedding: [1] }] }, true],
    ['embeddings', 'embed', { data: [] }, false],
    ['images', 'imageGenerate', { data: [{ url: 'u' }] }, true],
    ['images', 'imageGenerate', { created: 1, data: [] }, false],
    ['chat', 'chatComplete', { choices: [{ finish_reason: 'length' }] }, true],
    ['chat', 'chatComplete', { choices: [{ finish_reason: 'content_filter' }] }, false],
    ['chat', 'chatComplete', { choices: [{ finish_reason: 'error', native_finish_reason: 'x' }] }, false],
    [
      'responses',
      'createModelResponse',
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      true,
    ],
    [
      'responses',
      'createModelResponse',
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
      false,
    ],
    ['gemini', 'chatComplete', { candidates: [{ finishReason: 'STOP' }] }, true],
    ['gemini', 'chatComplete', { candidates: [{ finishReason: 'MAX_TOKENS' }] }, true],
    ['gemini', 'chatComplete', { candidates: [{ finishReason: 'STOP' }, {}] }, false],
    ['gemini', 'chatComplete', { candidates: [{ finishReason: 'SAFETY' }] }, false],
    ['gemini', 'chatComplete', { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }, false],
    ['gemini', 'chatComplete', { candidates: [] }, false],
    ['gemini', 'chatComplete', { promptFeedback: { blockReason: 'SAFETY' } }, false],
    ['gemini', 'messagesCountTokens', { totalTokens: 3 }, true],
    ['converse', 'chatComplete', { stopReason: 'end_turn' }, true],
    ['converse', 'chatComplete', { stopReason: 'max_tokens' }, true],
    ['converse', 'chatComplete', { stopReason: 'guardrail_intervened' }, false],
    ['converse', 'chatComplete', { output: { message: { content: [{ text: 'half' }] } } }, false],
    ['cohere', 'chatComplete', { finish_reason: 'COMPLETE' }, true],
    ['cohere', 'chatComplete', { finish_reason: 'MAX_TOKENS' }, true],
    ['cohere', 'chatComplete', { finish_reason: 'ERROR' }, false],
    ['cohere', 'chatComplete', { finish_reason: 'TIMEOUT' }, false],
    ['cohere', 'chatComplete', { message: { content: [{ type: 'text', text: 'half' }] } }, false],
    ['gemini-embeddings', 'embed', { embedding: { values: [1] } }, true],
    ['gemini-embeddings', 'embed', { embeddings: [] }, false],
    ['cohere-embeddings', 'embed', { embeddings: { float: [[1]] } }, true],
    ['cohere-embeddings', 'embed', { embeddings: { float: [] } }, false],
    ['rerank', 'rerank', { results: [] }, true],
  ];
  for (const [dialect, endpoint, reply, kept] of shapes) {
    it(`is told by the shape of ${endpoint} in ${dialect}: ${JSON.stringify(reply)}`, async () => {
      const target = () => targetWith({}, { endpoint, dialect });
      await assertKept(
        await startCache(),
        target,
        { body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(reply)) } },
        kept,
      );
    });
  }
});
