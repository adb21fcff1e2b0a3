import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collector } from '../../../sdk/dialects/collect.ts';
import type { GenerationDialect } from '../../../sdk/dialects/dialect.ts';
import { dialects } from '../../../sdk/dialects/index.ts';
import type { Frame } from '../../../sdk/framing/framing.ts';
import type { JsonObject } from '../../../sdk/json.ts';
import { contextOf, decodeFrames, encodeDeltas, generation } from './codec.ts';

describe('sizes: long streams', () => {
  const many = 40_000;
  const frame = (json: JsonObject, event?: string): Frame => ({
    data: JSON.stringify(json),
    ...(event ? { event } : {}),
  });
  const chatCall = (index: number, fields: JsonObject): Frame =>
    frame({
      id: 'c',
      model: 'm',
      choices: [{ index: 0, delta: { tool_calls: [{ index, ...fields }] }, finish_reason: null }],
    });
  const times = (make: (index: number) => Frame | readonly Frame[]): readonly Frame[] =>
    Array.from({ length: many }, (_, index) => make(index)).flat();
  const event = (json: JsonObject): Frame => frame(json, String(json.type));
  const finish = frame({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
  const started = event({ type: 'message_start', message: { id: 'm', model: 'm' } });

  const long: Readonly<Record<string, readonly [GenerationDialect, readonly Frame[]]>> = {
    'one chat call in many pieces': [
      dialects.chat,
      [
        chatCall(0, { id: 'a', function: { name: 'f', arguments: '{"a":["' } }),
        ...times(() => chatCall(0, { function: { arguments: '},}' } })),
        finish,
      ],
    ],
    'many chat calls': [
      dialects.chat,
      [...times((index) => chatCall(index, { id: `c${index}`, function: { name: 'f', arguments: '{}' } })), finish],
    ],
    'many open chat calls': [
      dialects.chat,
      [...times((index) => chatCall(index, { id: `c${index}`, function: { name: 'f', arguments: '{' } })), finish],
    ],
    'one chat call whose arguments are no object': [
      dialects.chat,
      [
        chatCall(0, { id: 'a', function: { name: 'f', arguments: '[' } }),
        ...times(() => chatCall(0, { function: { arguments: '"long piece",' } })),
        finish,
      ],
    ],
    'log probabilities without text': [
      dialects.chat,
      [
        ...times(() =>
          frame({
            id: 'c',
            model: 'm',
            choices: [{ index: 0, delta: {}, logprobs: { content: [{ token: 'a', logprob: -1 }] } }],
          }),
        ),
        finish,
      ],
    ],
    'many messages blocks': [
      dialects.messages,
      [
        started,
        ...times((index) => [
          event({
            type: 'content_block_start',
            index,
            content_block: { type: 'tool_use', id: `t${index}`, name: 'f', input: {} },
          }),
          event({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: '{}' } }),
          event({ type: 'content_block_stop', index }),
        ]),
        event({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }),
        event({ type: 'message_stop' }),
      ],
    ],
    'many responses items': [
      dialects.responses,
      [
        ...times((index) => [
          event({
            type: 'response.output_item.added',
            output_index: index,
            item: { type: 'function_call', id: `fc_${index}`, call_id: `c${index}`, name: 'f', arguments: '' },
          }),
          event({
            type: 'response.output_item.done',
            output_index: index,
            item: { type: 'function_call', id: `fc_${index}`, call_id: `c${index}`, name: 'f', arguments: '{}' },
          }),
        ]),
        event({
          type: 'response.completed',
          response: {
            id: 'r',
            output: Array.from({ length: many }, (_, index) => ({
              type: 'function_call',
              id: `fc_${index}`,
              call_id: `c${index}`,
              name: 'f',
              arguments: '{}',
            })),
          },
        }),
      ],
    ],
    'many gemini calls': [
      dialects.gemini,
      [
        ...times((index) =>
          frame({ candidates: [{ content: { parts: [{ functionCall: { id: `c${index}`, name: 'f', args: {} } }] } }] }),
        ),
        frame({ candidates: [{ finishReason: 'STOP' }] }),
      ],
    ],
  };

  for (const [name, [dialect, frames]] of Object.entries(long)) {
    it(`reads and writes ${name} without going through all of them for each`, { timeout: 30_000 }, () => {
      const deltas = decodeFrames(dialect.decodeStream(contextOf(false)), frames);
      assert.equal(deltas.at(-1)?.type, 'end');
      const gathered = collector();
      for (const delta of deltas) gathered.push(delta);
      gathered.completion();
      for (const client of generation) assert.ok(encodeDeltas(client, deltas, contextOf(false)).length > 0);
    });
  }
});
