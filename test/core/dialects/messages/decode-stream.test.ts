import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { messages } from '../../../../sdk/dialects/messages/index.ts';
import type { Delta } from '../../../../sdk/dialects/neutral.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { contextOf, deltasOf, fixture, frozen } from './support.ts';

const recorded = ['basic', 'tool-use', 'thinking', 'web-search'].map((name) => fixture(`${name}.stream.txt`));
const sse = (...events: JsonObject[]): string =>
  events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const start: JsonObject = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'm', usage: { input_tokens: 3, output_tokens: 1 } },
};
const started: Delta = { type: 'start', id: 'msg_1', model: 'm', usage: { input: 3, output: 1 } };
const done: JsonObject[] = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { input_tokens: null, output_tokens: 5 } },
  { type: 'message_stop' },
];
const at = { choice: 0, block: 0 };

describe('decoding a messages stream', () => {
  it('reads text and merges the usage of the first and the last event', () => {
    assert.deepEqual(deltasOf(recorded[0] ?? ''), [
      {
        type: 'start',
        id: 'msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY',
        model: 'claude-sonnet-4-5-20250929',
        usage: { input: 25, output: 1 },
      },
      { type: 'text', ...at, text: 'Hello' },
      { type: 'text', ...at, text: '!' },
      { type: 'finish', choice: 0, reason: 'stop', native: 'end_turn' },
      { type: 'usage', usage: { input: 25, output: 15 } },
      { type: 'end' },
    ]);
  });

  it('gives a tool call its id and name once, then its arguments', () => {
    const steps = deltasOf(recorded[1] ?? '').filter((delta) => 'block' in delta && delta.block === 1);
    const [call, ...fragments] = steps;
    assert.deepEqual(call, {
      type: 'tool-call',
      choice: 0,
      block: 1,
      id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6',
      name: 'get_weather',
    });
    assert.equal(
      fragments.map((delta) => (delta.type === 'tool-arguments' ? delta.text : delta.type)).join(''),
      '{"location": "San Francisco, CA"}',
    );
  });

  it('reads thinking with its signature, and no usage where none came', () => {
    assert.deepEqual(
      deltasOf(recorded[2] ?? '').map((delta) => delta.type),
      ['start', 'thinking', 'thinking', 'signature', 'text', 'finish', 'end'],
    );
  });

  it('collects server tools as whole parts, keeps citations and passes over what it does not know', () => {
    const steps = deltasOf(recorded[3] ?? '');
    const parts = steps.flatMap((delta) =>
      delta.type === 'part' && delta.part.type === 'native' ? [delta.part.value] : [],
    );
    assert.deepEqual(
      parts.map((part) => [part.type, part.input]),
      [
        ['server_tool_use', { query: 'weather NYC today' }],
        ['web_search_tool_result', undefined],
      ],
    );
    assert.equal(steps.filter((delta) => delta.type === 'citation').length, 1);
    assert.deepEqual(steps.at(-2), {
      type: 'usage',
      usage: { input: 10_782, output: 510, cacheRead: 100, cacheWrite: 0, serverTools: { web_search_requests: 1 } },
    });
  });

  it('gives a call without arguments an empty object', () => {
    const block = { type: 'tool_use', id: 't', name: 'f', input: {} };
    const steps = deltasOf(
      sse(
        start,
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_stop', index: 0 },
        ...done,
      ),
    );
    assert.deepEqual(steps.slice(1, 3), [
      { type: 'tool-call', ...at, id: 't', name: 'f' },
      { type: 'tool-arguments', ...at, text: '{}' },
    ]);
  });

  const tails: readonly [string, string, readonly Delta[]][] = [
    [
      'breaks off',
      sse(start),
      [
        started,
        { type: 'fault', fault: { status: 502, message: 'The provider closed the stream before it was complete.' } },
      ],
    ],
    [
      'is empty',
      '',
      [{ type: 'fault', fault: { status: 502, message: 'The provider closed the stream before it was complete.' } }],
    ],
    [
      'forgets its last event',
      sse(start, ...done.slice(0, 1)),
      [
        started,
        { type: 'finish', choice: 0, reason: 'stop', native: 'end_turn' },
        { type: 'usage', usage: { input: 3, output: 5 } },
        { type: 'end' },
      ],
    ],
    [
      'reports an overload',
      sse(start, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, ...done),
      [started, { type: 'fault', fault: { status: 529, type: 'overloaded_error', message: 'Overloaded' } }],
    ],
    [
      'holds no JSON',
      'event: x\ndata: <html>\n\n',
      [
        {
          type: 'fault',
          fault: { status: 502, message: 'The provider sent an event that is not in the format of its stream.' },
        },
      ],
    ],
    [
      'has an error that is no JSON',
      'event: error\ndata: oops\n\n',
      [{ type: 'fault', fault: { status: 502, message: 'The provider reported an error.' } }],
    ],
    [
      'has a bare error',
      'event: error\ndata: {"message":"oops"}\n\n',
      [{ type: 'fault', fault: { status: 502, message: 'oops' } }],
    ],
    [
      'only ends',
      sse({ type: 'message_stop' }),
      [
        { type: 'start', id: 'msg_1', model: 'asked-model' },
        { type: 'finish', choice: 0, reason: 'stop' },
        { type: 'end' },
      ],
    ],
    [
      'never opens its blocks',
      sse(start, { type: 'content_block_delta', index: 4, delta: { type: 'text_delta', text: 'a' } }, ...done),
      [
        started,
        { type: 'text', ...at, text: 'a' },
        { type: 'finish', choice: 0, reason: 'stop', native: 'end_turn' },
        { type: 'usage', usage: { input: 3, output: 5 } },
        { type: 'end' },
      ],
    ],
  ];
  for (const [name, text, expected] of tails) {
    it(`copes with a stream that ${name}`, () => assert.deepEqual(deltasOf(text), expected));
  }

  it('gives the same steps for any chunks', () => {
    fc.assert(
      fc.property(fc.constantFrom(...recorded), fc.integer({ min: 1, max: 300 }), (text, size) => {
        assert.deepEqual(deltasOf(text, size), deltasOf(text));
      }),
      { numRuns: 60 },
    );
  });

  it('never throws and never speaks after its end, whatever the events hold', () => {
    const types = [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ];
    const event = fc.record(
      {
        type: fc.constantFrom(...types),
        index: fc.integer({ min: -1, max: 2 }),
        delta: fc.jsonValue(),
        content_block: fc.jsonValue(),
        message: fc.jsonValue(),
        usage: fc.jsonValue(),
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const decoder = messages.decodeStream(contextOf());
        const steps = events.flatMap((fields) => decoder.push(frozen({ data: JSON.stringify(fields) })));
        const all = [...steps, ...decoder.end()].map((delta) => delta.type);
        assert.equal(all.filter((type) => type === 'end' || type === 'fault').length, 1);
        assert.match(all.at(-1) ?? '', /^(end|fault)$/);
        assert.ok(all.filter((type) => type === 'finish').length <= 1);
        assert.deepEqual(decoder.push({ data: '{"type":"message_stop"}' }), []);
      }),
    );
  });
});
