import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { chat } from '../../../../sdk/dialects/chat/index.ts';
import type { Delta } from '../../../../sdk/dialects/neutral.ts';
import type { Frame } from '../../../../sdk/framing/framing.ts';
import { choiceFrame, chunkFrame, context, decodeFrames, done } from './codec.ts';

const decode = (...frames: readonly Frame[]): readonly Delta[] => decodeFrames(chat.decodeStream(context()), frames);
const of = <T extends Delta['type']>(deltas: readonly Delta[], type: T) =>
  deltas.filter((delta): delta is Extract<Delta, { type: T }> => delta.type === type);

describe('ends of chat streams', () => {
  const usage = (n: number) => ({ prompt_tokens: n, completion_tokens: n, total_tokens: 2 * n });

  it('takes the last usage of those on each chunk', () => {
    const chunk = (n: number) =>
      chunkFrame({ id: 'a', choices: [{ index: 0, delta: { content: 'x' } }], usage: usage(n) });
    assert.deepEqual(of(decode(chunk(1), chunk(5), done), 'usage'), [
      { type: 'usage', usage: { input: 5, output: 5, total: 10 } },
    ]);
  });

  it('takes usage on the last chunk with choices', () => {
    const last = chunkFrame({ id: 'a', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: usage(3) });
    assert.equal(of(decode(choiceFrame({ content: 'x' }), last, done), 'usage')[0]?.usage.input, 3);
  });

  it('takes choices that are null, a finish word that is empty and a first chunk without id', () => {
    const deltas = decode(
      chunkFrame({ id: '', model: '', choices: [], prompt_filter_results: [] }),
      choiceFrame({ content: 'x' }, { finish_reason: '' }),
      chunkFrame({ choices: null, usage: usage(1) }),
      done,
    );
    assert.deepEqual(
      deltas.map((delta) => delta.type),
      ['start', 'extra', 'text', 'finish', 'usage', 'end'],
    );
    assert.deepEqual(of(deltas, 'start')[0], { type: 'start', id: 'c1', model: 'm', created: 1 });
    assert.deepEqual(of(deltas, 'finish')[0], { type: 'finish', choice: 0, reason: 'stop' });
  });

  it('takes a stream that forgets [DONE] after its finish word', () => {
    assert.equal(decode(choiceFrame({ content: 'x' }, { finish_reason: 'length' })).at(-1)?.type, 'end');
  });

  const brokenOff = {
    type: 'fault',
    fault: { status: 502, message: 'The provider closed the stream before it was complete.' },
  };
  for (const [name, frames] of [
    ['in the middle', [choiceFrame({ content: 'x' })]],
    ['before the first chunk', []],
  ] as const) {
    it(`gives a fault when the provider closes ${name}`, () => {
      assert.deepEqual(decode(...frames).at(-1), brokenOff);
    });
  }

  const faults: readonly (readonly [string, Frame, number, string])[] = [
    ['an error chunk', chunkFrame({ error: { message: 'busy', type: 'overloaded_error' } }), 529, 'busy'],
    ['an error chunk with a numeric code', chunkFrame({ error: { message: 'slow', code: 429 } }), 429, 'slow'],
    ['an error code', chunkFrame({ error: { message: 'slow', code: 'rate_limit_exceeded' } }), 429, 'slow'],
    ['an error of unknown type', chunkFrame({ error: { message: 'odd', type: 'weird' } }), 502, 'odd'],
    [
      'an error event with bare fields',
      { event: 'error', data: '{"message":"bad","type":"invalid_request_error"}' },
      400,
      'bad',
    ],
    ['an error event with text', { event: 'error', data: '{"error":"bad"}' }, 502, 'bad'],
    [
      'an event that is no JSON',
      { data: '<html>' },
      502,
      'The provider sent an event that is not in the format of its stream.',
    ],
    [
      'an event that is no object',
      { data: '[1]' },
      502,
      'The provider sent an event that is not in the format of its stream.',
    ],
  ];
  for (const [name, frame, status, message] of faults) {
    it(`ends with a fault on ${name}, and says nothing after it`, () => {
      const deltas = decode(choiceFrame({ content: 'x' }), frame, choiceFrame({ content: 'y' }), done);
      const last = deltas.at(-1);
      assert.equal(last?.type, 'fault');
      assert.deepEqual([last.fault.status, last.fault.message], [status, message]);
      assert.equal(of(deltas, 'text').length, 1);
    });
  }

  it('never throws, and closes once, whatever the chunks hold', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 5 })), (values) => {
        const frames = values.flatMap((value) => [
          choiceFrame({ content: value as never, tool_calls: [value as never], content_blocks: value as never }),
          chunkFrame({ choices: value as never, usage: value as never }),
        ]);
        const deltas = decode(...frames, done);
        assert.equal(deltas.filter((delta) => delta.type === 'end' || delta.type === 'fault').length, 1);
      }),
    );
  });
});
