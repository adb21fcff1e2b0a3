import assert from 'node:assert/strict';
import { it } from 'node:test';
import OpenAI from 'openai';
import { chat } from '../../../../sdk/dialects/chat/index.ts';
import type { Completion } from '../../../../sdk/dialects/neutral.ts';
import { deltasOf } from '../../../../sdk/dialects/replay.ts';
import { context, encodeAll } from './codec.ts';

const answer: Completion = {
  id: 'a',
  model: 'm',
  created: 1,
  choices: [
    {
      index: 0,
      parts: [
        { type: 'thinking', text: 'hm', signature: 's' },
        { type: 'text', text: 'Let me see.' },
        { type: 'tool-call', id: 'c1', name: 'f', arguments: '{"x":1}' },
        { type: 'tool-call', id: 'c2', name: 'g', arguments: '{}' },
      ],
      finish: 'tool_calls',
    },
  ],
  usage: { input: 3, output: 2, total: 5 },
};

for (const strict of [true, false]) {
  it(`writes ${strict ? 'strict' : 'loose'} streams that the official client puts together`, async () => {
    const request = { stream_options: { include_usage: true } };
    const body = encodeAll(chat.encodeStream(context(strict, request)), deltasOf(answer));
    const client = new OpenAI({
      apiKey: 'none',
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    });
    const stream = client.chat.completions.stream({ model: 'm', messages: [], ...request });
    const { choices, usage } = await stream.finalChatCompletion();
    assert.equal(choices[0]?.message.content, 'Let me see.');
    assert.deepEqual(
      choices[0]?.message.tool_calls?.map((call) => [call.id, call.type === 'function' && call.function.arguments]),
      [
        ['c1', '{"x":1}'],
        ['c2', '{}'],
      ],
    );
    assert.equal(choices[0]?.finish_reason, 'tool_calls');
    assert.equal(usage?.total_tokens, 5);
  });
}
