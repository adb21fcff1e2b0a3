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
    ['gemini', 'chatComplete', { candidates: [] }, true],
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
