import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Delta } from '../../../../sdk/dialects/neutral.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { deltasOf, fixture } from './support.ts';

const at = { choice: 0 } as const;
const textOf = (...events: JsonObject[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const read = (...events: JsonObject[]): Delta[] => deltasOf(textOf(...events));
const created = { type: 'response.created', response: { id: 'resp_1', model: 'm' } };
const completed = { type: 'response.completed', response: { status: 'completed' } };
const start: Delta = { type: 'start', id: 'resp_1', model: 'm' };
const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f' };
const text = (block: number, value: string): Delta => ({ type: 'text', ...at, block, text: value });
const args = (block: number, value: string): Delta => ({ type: 'tool-arguments', ...at, block, text: value });
const began = (block: number, id = 'c', itemId = 'fc_1'): Delta => ({
  type: 'tool-call',
  ...at,
  block,
  id,
  name: 'f',
  itemId,
});
const stopped = (reason: 'stop' | 'tool_calls' | 'length'): Delta[] => [
  { type: 'finish', ...at, reason, native: 'completed' },
  { type: 'end' },
];

describe('responses: reading a stream', () => {
  it('reads a recorded stream', () => {
    const citation = { type: 'url_citation', start_index: 0, end_index: 5, url: 'https://a.test', title: 'A' };
    const thinking = (value: string): Delta => ({ type: 'thinking', ...at, block: 0, text: value, itemId: 'rs_1' });
    assert.deepEqual(deltasOf(fixture('stream.txt')), [
      { type: 'start', id: 'resp_1', model: 'gpt-5-2025', created: 1741290958, serviceTier: 'auto' },
      thinking('Thi'),
      thinking('nking '),
      thinking('\n\nDee'),
      thinking('per'),
      { type: 'signature', ...at, block: 0, signature: 'gAAAAABfull' },
      {
        type: 'part',
        ...at,
        block: 1,
        part: {
          type: 'native',
          dialect: 'responses',
          value: { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
        },
      },
      text(2, 'Héllo'),
      {
        type: 'logprobs',
        ...at,
        logprobs: { content: [{ token: 'Héllo', bytes: [1], logprob: -0.5, top_logprobs: [] }], refusal: null },
      },
      text(2, ' there ✓'),
      { type: 'citation', ...at, block: 2, citation },
      { type: 'tool-call', ...at, block: 3, id: 'call_1', name: 'get_weather', itemId: 'fc_1' },
      args(3, '{"location":'),
      args(3, '"Paris"}'),
      { type: 'finish', ...at, reason: 'tool_calls', native: 'completed' },
      {
        type: 'usage',
        usage: { input: 291, output: 23, total: 314, cacheRead: 3, reasoning: 9, serverTools: { web_search: 1 } },
      },
      { type: 'end' },
    ]);
  });

  it('reads the same however the bytes are cut', () => {
    const recorded = fixture('stream.txt');
    const whole = deltasOf(recorded);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (size) => assert.deepEqual(deltasOf(recorded, size), whole)),
      { numRuns: 30 },
    );
  });

  const added = { type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: '' } };
  const delta = { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{}' };
  const done = { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{}' };
  const itemDone = { type: 'response.output_item.done', output_index: 0, item: { ...call, arguments: '{}' } };
  const final = { ...completed, response: { status: 'completed', output: [{ ...call, arguments: '{}' }] } };
  const ways: [string, JsonObject[]][] = [
    ['in fragments', [added, delta, done, itemDone, final]],
    ['only in arguments.done', [added, done, itemDone, final]],
    ['only in output_item.done', [added, itemDone, final]],
    ['in output_item.done without output_item.added', [itemDone, final]],
    ['before the call is named', [delta, itemDone, final]],
    ['only in the final response', [final]],
    ['in fragments that nothing ends', [added, delta, completed]],
  ];
  for (const [way, events] of ways) {
    it(`reads arguments that come ${way} once`, () => {
      assert.deepEqual(read(created, ...events), [start, began(0), args(0, '{}'), ...stopped('tool_calls')]);
    });
  }

  it('lets interleaved calls out one after the other', () => {
    const second = { ...call, id: 'fc_2', call_id: 'd' };
    assert.deepEqual(
      read(
        created,
        added,
        { type: 'response.output_item.added', output_index: 1, item: second },
        { ...delta, output_index: 1, delta: '[2' },
        { ...delta, delta: '[1' },
        { ...delta, output_index: 1, delta: ']' },
        { ...delta, delta: ']' },
        { type: 'response.output_item.done', output_index: 0, item: { ...call, arguments: '[1]' } },
        { type: 'response.output_item.done', output_index: 1, item: { ...second, arguments: '[2]' } },
        completed,
      ),
      [
        start,
        began(0),
        args(0, '[1'),
        args(0, ']'),
        began(1, 'd', 'fc_2'),
        args(1, '[2'),
        args(1, ']'),
        ...stopped('tool_calls'),
      ],
    );
  });

  it('reads text that comes only at its end, refusals and custom calls', () => {
    const message = { type: 'message', id: 'msg_1', content: [{ type: 'refusal', refusal: 'No way' }] };
    assert.deepEqual(
      read(
        created,
        { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hi' },
        { type: 'response.output_item.added', output_index: 1, item: { type: 'message', id: 'msg_1', content: [] } },
        { type: 'response.refusal.delta', output_index: 1, content_index: 0, delta: 'No' },
        { type: 'response.output_item.done', output_index: 1, item: message },
        {
          type: 'response.output_item.added',
          output_index: 2,
          item: { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'f', input: '' },
        },
        { type: 'response.custom_tool_call_input.delta', output_index: 2, delta: 'x' },
        { type: 'response.custom_tool_call_input.done', output_index: 2, input: 'xy' },
        completed,
      ),
      [
        start,
        text(0, 'Hi'),
        { type: 'refusal', ...at, block: 1, text: 'No' },
        { type: 'refusal', ...at, block: 1, text: ' way' },
        { type: 'tool-call', ...at, block: 2, id: 'c', name: 'f', custom: true, itemId: 'ctc_1' },
        args(2, 'x'),
        args(2, 'y'),
        ...stopped('tool_calls'),
      ],
    );
  });

  it('reads a stream without indexes, ids and item events', () => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'gAAAAx' },
      { type: 'message', content: [{ type: 'output_text', text: 'four' }] },
    ];
    assert.deepEqual(
      read(
        { type: 'response.reasoning_summary_text.delta', delta: 'Hm' },
        { type: 'response.output_text.delta', delta: 'fo' },
        { type: 'response.output_text.delta', delta: 'ur' },
        { type: 'response.completed', response: { output } },
      ),
      [
        { type: 'start', id: 'resp_1', model: 'asked-model' },
        { type: 'thinking', ...at, block: 0, text: 'Hm' },
        text(1, 'fo'),
        text(1, 'ur'),
        ...stopped('stop'),
      ],
    );
  });

  it('reads hidden thinking and drops reasoning that says nothing', () => {
    const reasoning = (id: string, payload: string | null): JsonObject => ({
      type: 'response.output_item.done',
      item: { type: 'reasoning', id, summary: [], encrypted_content: payload },
    });
    assert.deepEqual(read(created, reasoning('rs_1', null), reasoning('rs_2', 'redacted:x'), completed), [
      start,
      { type: 'redacted-thinking', ...at, block: 0, data: 'x', itemId: 'rs_2' },
      ...stopped('stop'),
    ]);
  });

  it('ignores unknown events, comments and what comes after the end', () => {
    const deltas = deltasOf(
      `: ping\n\n${textOf(created, { type: 'response.novel', output_index: 9 }, { type: 'keepalive' }, completed, created)}data: [DONE]\n\n`,
    );
    assert.deepEqual(deltas, [start, ...stopped('stop')]);
  });

  it('reads an incomplete response', () => {
    const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    assert.deepEqual(read(created, { type: 'response.incomplete', response }), [
      start,
      { type: 'finish', ...at, reason: 'length', native: 'max_output_tokens' },
      { type: 'end' },
    ]);
  });

  const faults: [string, JsonObject, JsonObject][] = [
    [
      'a failed response',
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow' } },
      },
      { status: 429, message: 'Slow', code: 'rate_limit_exceeded' },
    ],
    [
      'a flat error event',
      { type: 'error', code: 'server_is_overloaded', message: 'Full', param: null },
      { status: 529, message: 'Full', code: 'server_is_overloaded' },
    ],
    [
      'a nested error event',
      { type: 'error', error: { type: 'overloaded_error', message: 'Full' } },
      { status: 529, message: 'Full', type: 'overloaded_error' },
    ],
    ['an error without type', { error: { message: 'x', code: 503 } }, { status: 503, message: 'x', code: 503 }],
  ];
  for (const [what, event, fault] of faults) {
    it(`reads ${what} as fault`, () => {
      const deltas = read(created, event, completed);
      assert.deepEqual(deltas, [start, { type: 'fault', fault }]);
    });
  }

  it('gives what was said before a stream that breaks off, then the fault', () => {
    const deltas = read(created, { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' });
    const fault = { status: 502, message: 'The provider closed the stream before it was complete.' };
    assert.deepEqual(deltas, [start, text(0, 'Hi'), { type: 'fault', fault }]);
  });

  for (const line of ['{', '5', '"x"', 'null', '[]']) {
    it(`reads the frame ${line} as fault`, () => {
      const [last] = deltasOf(`data: ${line}\n\n`).slice(-1);
      assert.equal(last?.type === 'fault' ? last.fault.status : last?.type, 502);
    });
  }
});
