import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Delta } from '../../../../sdk/dialects/neutral.ts';
import { responses } from '../../../../sdk/dialects/responses/index.ts';
import { asObject, asObjects, type JsonObject } from '../../../../sdk/json.ts';
import { contextOf, deltasOf, eventsOf, wireOf } from './support.ts';

const at = { choice: 0 } as const;
const start: Delta = { type: 'start', id: 'resp_9', model: 'm', created: 5 };
const text = (block: number, value: string): Delta => ({ type: 'text', ...at, block, text: value });
const call = (block: number, id: string): Delta => ({ type: 'tool-call', ...at, block, id, name: 'f' });
const args = (block: number, value: string): Delta => ({ type: 'tool-arguments', ...at, block, text: value });
const stop: Delta[] = [{ type: 'finish', ...at, reason: 'stop' }, { type: 'end' }];
const write = (...deltas: Delta[]): JsonObject[] => eventsOf(wireOf(deltas));
const typesOf = (events: readonly JsonObject[]): string[] => events.map((event) => String(event.type).slice(9));
const lastResponse = (events: readonly JsonObject[]): JsonObject => asObject(events.at(-1)?.response) ?? {};

describe('responses: writing a stream', () => {
  it('writes the events of a text in their order', () => {
    const events = write(
      start,
      text(0, 'He'),
      text(0, 'y'),
      { type: 'usage', usage: { input: 1, output: 2 } },
      ...stop,
    );
    assert.deepEqual(typesOf(events), [
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    assert.deepEqual(
      events.map((event) => event.sequence_number),
      events.map((_, index) => index),
    );
    assert.deepEqual(events[4], {
      type: 'response.output_text.delta',
      sequence_number: 4,
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta: 'He',
      logprobs: [],
    });
    const { output, usage, status, id } = lastResponse(events);
    assert.deepEqual({ status, id }, { status: 'completed', id: 'resp_9' });
    assert.deepEqual(output, [events[8]?.item]);
    assert.deepEqual(usage, {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 3,
    });
  });

  it('writes thinking with its signature, text and parallel calls as items', () => {
    const events = write(
      start,
      { type: 'thinking', ...at, block: 0, text: 'Hm' },
      { type: 'signature', ...at, block: 0, signature: 'sig' },
      text(1, 'Hi'),
      call(2, 'a'),
      call(3, 'b'),
      args(2, '[1'),
      args(3, '[2'),
      args(2, ']'),
      args(3, ']'),
      { type: 'finish', ...at, reason: 'tool_calls' },
      { type: 'end' },
    );
    assert.deepEqual(typesOf(events).slice(2, 8), [
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
    ]);
    const output = asObjects(lastResponse(events).output);
    assert.deepEqual(
      output.map(({ type, call_id, arguments: text, encrypted_content }) => [type, call_id ?? encrypted_content, text]),
      [
        ['reasoning', 'sig', undefined],
        ['message', undefined, undefined],
        ['function_call', 'a', '[1]'],
        ['function_call', 'b', '[2]'],
      ],
    );
    const places = events.filter((event) => event.type === 'response.function_call_arguments.delta');
    assert.deepEqual(
      places.map((event) => [event.output_index, event.delta]),
      [
        [2, '[1'],
        [3, '[2'],
        [2, ']'],
        [3, ']'],
      ],
    );
  });

  it('writes text after a call as another message', () => {
    const output = asObjects(lastResponse(write(start, text(0, 'A'), call(1, 'a'), text(2, 'B'), ...stop)).output);
    assert.deepEqual(
      output.map((item) => item.type),
      ['message', 'function_call', 'message'],
    );
  });

  it('writes text and refusal as parts of one message', () => {
    const events = write(start, text(0, 'A'), { type: 'refusal', ...at, block: 1, text: 'No' }, ...stop);
    const [message] = asObjects(lastResponse(events).output);
    assert.deepEqual(message?.content, [
      { type: 'output_text', text: 'A', annotations: [], logprobs: [] },
      { type: 'refusal', refusal: 'No' },
    ]);
    const done = events.find((event) => event.type === 'response.refusal.done');
    assert.equal(done?.content_index, 1);
  });

  it('writes an empty answer as a response without output', () => {
    const events = write(start, ...stop);
    assert.deepEqual(typesOf(events), ['created', 'in_progress', 'completed']);
    assert.deepEqual(lastResponse(events).output, []);
  });

  it('takes the usage of the start when no other comes', () => {
    const events = write({ ...start, usage: { input: 7, output: 0 } }, ...stop);
    assert.equal(asObject(lastResponse(events).usage)?.input_tokens, 7);
  });

  it('calls an answer that was cut off incomplete', () => {
    const events = write(start, text(0, 'A'), { type: 'finish', ...at, reason: 'length' }, { type: 'end' });
    assert.equal(events.at(-1)?.type, 'response.incomplete');
    assert.deepEqual(lastResponse(events).incomplete_details, { reason: 'max_output_tokens' });
    assert.equal(asObjects(lastResponse(events).output)[0]?.status, 'incomplete');
  });

  const fault: Delta = { type: 'fault', fault: { status: 529, message: 'Full' } };
  for (const [when, deltas] of [
    ['before the start', [fault, text(0, 'x'), ...stop]],
    ['in the middle', [start, text(0, 'A'), fault, text(0, 'x'), ...stop]],
  ] as const) {
    it(`ends with response.failed after a fault ${when}`, () => {
      const events = write(...deltas);
      assert.equal(events[0]?.type, 'response.created');
      assert.equal(events.at(-1)?.type, 'response.failed');
      assert.deepEqual(lastResponse(events).error, { code: 'server_is_overloaded', message: 'Full' });
    });
  }

  it('writes citations and log probabilities where they belong', () => {
    const logprob = { token: 'A', bytes: [65], logprob: -1, top_logprobs: [] };
    const logprobs: Delta = { type: 'logprobs', ...at, logprobs: { content: [logprob], refusal: null } };
    const citation: Delta = { type: 'citation', ...at, block: 0, citation: { type: 'x', url: 'https://a.test' } };
    const events = write(start, logprobs, text(0, 'A'), citation, text(0, 'B'), logprobs, ...stop);
    const [message] = asObjects(lastResponse(events).output);
    const annotations = [
      { type: 'url_citation', start_index: 0, end_index: 1, title: 'https://a.test', url: 'https://a.test' },
    ];
    assert.deepEqual(message?.content, [
      { type: 'output_text', text: 'AB', annotations, logprobs: [logprob, logprob] },
    ]);
  });

  it('writes an error event that reads back as the same fault', () => {
    const given = { status: 529, message: 'Full', type: 'overloaded_error' };
    const [event] = eventsOf(responses.encodeStreamFault(given));
    assert.deepEqual(responses.faultOf(event ?? {}, 200), given);
  });

  it('says that other choices have no place', () => {
    const context = contextOf();
    wireOf([start, { type: 'text', choice: 1, block: 0, text: 'x' }, ...stop], context);
    assert.deepEqual(context.drops, ['choices']);
  });

  it('keeps the content of any well-formed stream through a round trip', () => {
    const fragments = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 });
    const block = fc.record({
      kind: fc.constantFrom('text', 'refusal', 'thinking', 'redacted', 'call', 'custom'),
      fragments,
      signed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 7 }), (blocks) => {
        const deltas = blocks.flatMap(({ kind, fragments, signed }, number): Delta[] => {
          const place = { choice: 0, block: number } as const;
          const text = fragments.join('');
          switch (kind) {
            case 'text':
            case 'refusal':
              return fragments.map((fragment) => ({ type: kind, ...place, text: fragment }));
            case 'thinking':
              return [
                ...fragments.map((fragment): Delta => ({ type: 'thinking', ...place, text: fragment })),
                ...(signed ? [{ type: 'signature', ...place, signature: text } as const] : []),
              ];
            case 'redacted':
              return [{ type: 'redacted-thinking', ...place, data: text }];
            default:
              return [
                {
                  type: 'tool-call',
                  ...place,
                  id: `c${number}`,
                  name: 'f',
                  ...(kind === 'custom' ? { custom: true } : {}),
                },
                ...fragments.map((fragment): Delta => ({ type: 'tool-arguments', ...place, text: fragment })),
              ];
          }
        });
        const sent = [start, ...deltas, ...stop];
        assert.deepEqual(contentOf(deltasOf(wireOf(sent))), contentOf(sent));
      }),
      { numRuns: 200 },
    );
  });
});

/** What a sequence says, one entry a block. */
function contentOf(deltas: readonly Delta[]): string[] {
  const blocks: string[] = [];
  for (const delta of deltas) {
    if (!('block' in delta)) continue;
    const said =
      delta.type === 'tool-call'
        ? `call ${delta.id} ${delta.name} ${String(delta.custom ?? false)}:`
        : delta.type === 'signature'
          ? `|${delta.signature}`
          : delta.type === 'redacted-thinking'
            ? delta.data
            : 'text' in delta
              ? delta.text
              : '';
    blocks[delta.block] = (blocks[delta.block] ?? (delta.type === 'tool-call' ? '' : `${delta.type}:`)) + said;
  }
  return blocks;
}
