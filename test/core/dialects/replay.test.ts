import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { collector } from '../../../sdk/dialects/collect.ts';
import type { Completion, Delta } from '../../../sdk/dialects/neutral.ts';
import { deltasOf } from '../../../sdk/dialects/replay.ts';
import { anyParts, completionOf } from './chat/arbitraries.ts';
import { frozen } from './chat/codec.ts';

function collect(deltas: readonly Delta[]): Completion {
  const gathered = collector();
  for (const delta of frozen(deltas)) gathered.push(delta);
  return gathered.completion();
}

it('gives every answer back that it played', () => {
  fc.assert(
    fc.property(completionOf(anyParts), (completion) => {
      assert.deepEqual(collect(deltasOf(frozen(completion))), completion);
    }),
  );
});

it('gives parts without pieces, citations, log probabilities and unknown fields back', () => {
  const completion: Completion = {
    id: 'a',
    model: 'm',
    serviceTier: 'flex',
    systemFingerprint: 'fp',
    extra: { provider: 'x' },
    choices: [
      {
        index: 0,
        parts: [
          { type: 'text', text: 'see', citations: [{ url: 'https://a.example' }, { url: 'https://b.example' }] },
          { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } },
          { type: 'tool-call', id: 'c', name: 'f', arguments: '', custom: true, itemId: 'i', signature: 's' },
          { type: 'native', dialect: 'messages', value: { type: 'server_tool_use' } },
          { type: 'thinking', text: '', signature: 's', itemId: 'rs_1' },
        ],
        finish: 'length',
        nativeFinish: 'max_tokens',
        stopSequence: '\n',
        logprobs: { content: [{ token: 'see', logprob: 0, bytes: null, top_logprobs: [] }] },
        extra: { safety: [1], message: { reasoning_details: [2] } },
      },
    ],
  };
  assert.deepEqual(collect(deltasOf(frozen(completion))), completion);
});

it('joins spoken fragments by their bytes', () => {
  const completion = collect([
    { type: 'audio', choice: 0, audio: { id: 'audio_1', data: Buffer.from('a').toString('base64'), transcript: 'He' } },
    { type: 'audio', choice: 0, audio: { data: Buffer.from('bc').toString('base64'), transcript: 'y', expires_at: 9 } },
    { type: 'finish', choice: 0, reason: 'stop' },
    { type: 'end' },
  ]);
  assert.deepEqual(completion.choices[0]?.parts, [
    {
      type: 'audio',
      source: { kind: 'base64', mediaType: 'audio/pcm', data: Buffer.from('abc').toString('base64') },
      format: 'pcm16',
      transcript: 'Hey',
      id: 'audio_1',
      expiresAt: 9,
    },
  ]);
});

it('keeps what came before a fault, and nothing after it', () => {
  const completion = collect([
    { type: 'start', id: 'a', model: 'm', usage: { input: 3, output: 0 } },
    { type: 'text', choice: 0, block: 0, text: 'half' },
    { type: 'fault', fault: { status: 502, message: 'gone' } },
    { type: 'text', choice: 0, block: 0, text: ' and more' },
  ]);
  assert.deepEqual(completion.choices, [{ index: 0, parts: [{ type: 'text', text: 'half' }], finish: 'stop' }]);
  assert.deepEqual(completion.usage, { input: 3, output: 0 });
});

it('gives one empty choice for an empty stream', () => {
  assert.deepEqual(collect([{ type: 'end' }]), {
    id: '',
    model: '',
    choices: [{ index: 0, parts: [], finish: 'stop' }],
  });
});
