import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { chat } from '../../../../sdk/dialects/chat/index.ts';
import { collector } from '../../../../sdk/dialects/collect.ts';
import type { Completion, Delta } from '../../../../sdk/dialects/neutral.ts';
import { deltasOf } from '../../../../sdk/dialects/replay.ts';
import type { Frame } from '../../../../sdk/framing/framing.ts';
import { completionOf, plainParts } from './arbitraries.ts';
import { choiceFrame, chunkFrame, context, decodeBytes, decodeFrames, done, encodeAll, frozen } from './codec.ts';

const fixture = (name: string): Buffer => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const decode = (...frames: readonly Frame[]): readonly Delta[] => decodeFrames(chat.decodeStream(context()), frames);
const of = <T extends Delta['type']>(deltas: readonly Delta[], type: T) =>
  deltas.filter((delta): delta is Extract<Delta, { type: T }> => delta.type === type);

function collect(deltas: readonly Delta[]): Completion {
  const gathered = collector();
  for (const delta of deltas) gathered.push(delta);
  return gathered.completion();
}

describe('chat streams, recorded', () => {
  it('reads text with usage in a chunk without choices', () => {
    assert.deepEqual(decodeBytes(chat.decodeStream(context()), fixture('stream-text.txt')), [
      {
        type: 'start',
        id: 'chatcmpl-123',
        model: 'gpt-4o-mini',
        created: 1694268190,
        systemFingerprint: 'fp_44709d6fcb',
      },
      { type: 'text', choice: 0, block: 0, text: 'Hello' },
      { type: 'text', choice: 0, block: 0, text: ' wörld ✓' },
      { type: 'finish', choice: 0, reason: 'stop', native: 'stop' },
      { type: 'usage', usage: { input: 19, output: 10, total: 29, cacheRead: 4 } },
      { type: 'end' },
    ]);
  });

  it('reads parallel tool calls with id and name once', () => {
    assert.deepEqual(decodeBytes(chat.decodeStream(context()), fixture('stream-tools.txt')).slice(1), [
      { type: 'tool-call', choice: 0, block: 0, id: 'call_DdmO9pD3xa9XTPNJ32zg2hcA', name: 'get_weather' },
      { type: 'tool-arguments', choice: 0, block: 0, text: '{"' },
      { type: 'tool-arguments', choice: 0, block: 0, text: 'location":"Paris"}' },
      { type: 'tool-call', choice: 0, block: 1, id: 'call_2', name: 'get_time' },
      { type: 'tool-arguments', choice: 0, block: 1, text: '{}' },
      { type: 'finish', choice: 0, reason: 'tool_calls', native: 'tool_calls' },
      { type: 'end' },
    ]);
  });

  for (const name of ['stream-text.txt', 'stream-tools.txt']) {
    it(`reads ${name} alike however its bytes are cut`, () => {
      const bytes = fixture(name);
      const whole = decodeBytes(chat.decodeStream(context()), bytes);
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 9 }), (sizes) => {
          assert.deepEqual(decodeBytes(chat.decodeStream(context()), bytes, sizes), whole);
        }),
        { numRuns: 40 },
      );
    });
  }

  it('reads back every answer that the encoder wrote', () => {
    fc.assert(
      fc.property(completionOf(plainParts), (completion) => {
        const text = encodeAll(
          chat.encodeStream(context(false, { stream_options: { include_usage: true } })),
          deltasOf(frozen(completion)),
        );
        const read = collect(decodeBytes(chat.decodeStream(context()), Buffer.from(text)));
        const choices = read.choices.map(({ nativeFinish: _, ...choice }) => choice);
        assert.deepEqual({ ...read, choices }, completion);
      }),
    );
  });
});

describe('tool calls in chat streams', () => {
  const call = (fields: object) => choiceFrame({ tool_calls: [fields as never] });
  const argsOf = (deltas: readonly Delta[]) =>
    (collect(deltas).choices[0]?.parts ?? []).flatMap((part) =>
      part.type === 'tool-call' ? [[part.id, part.name, part.arguments]] : [],
    );

  const cases: readonly (readonly [string, readonly Frame[], readonly unknown[]])[] = [
    [
      'follows calls by id when there is no index',
      [
        call({ id: 'a', function: { name: 'f', arguments: '{"x"' } }),
        call({ id: 'a', function: { arguments: ':1}' } }),
        call({ id: 'b', function: { name: 'g', arguments: '{}' } }),
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{}'],
      ],
    ],
    [
      'follows calls by place when there is neither index nor id',
      [call({ function: { name: 'f', arguments: '{"x"' } }), call({ function: { arguments: ':1}' } })],
      [['call_1', 'f', '{"x":1}']],
    ],
    [
      'tells calls apart that all have the index 0',
      [
        call({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
        call({ index: 0, id: 'b', function: { name: 'f', arguments: '{"y":2}' } }),
      ],
      [
        ['a', 'f', '{}'],
        ['b', 'f', '{"y":2}'],
      ],
    ],
    [
      'puts fragments by turns in order',
      [
        call({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
        call({ index: 1, id: 'b', function: { name: 'g', arguments: '' } }),
        call({ index: 1, function: { arguments: '{"b"' } }),
        call({ index: 0, function: { arguments: '{"a"' } }),
        call({ index: 1, function: { arguments: ':2}' } }),
        call({ index: 0, function: { arguments: ':1}' } }),
      ],
      [
        ['a', 'f', '{"a":1}'],
        ['b', 'g', '{"b":2}'],
      ],
    ],
    [
      'waits for a name that comes late',
      [
        call({ index: 0, id: 'a', function: { arguments: '{' } }),
        call({ index: 0, function: { name: 'f', arguments: '}' } }),
      ],
      [['a', 'f', '{}']],
    ],
    [
      'takes arguments that are an object',
      [call({ id: 'a', function: { name: 'f', arguments: { x: 1 } } })],
      [['a', 'f', '{"x":1}']],
    ],
    [
      'takes the deprecated function call',
      [
        choiceFrame({ function_call: { name: 'f', arguments: '{"x"' } }),
        choiceFrame({ function_call: { arguments: ':1}' } }),
      ],
      [['call_1', 'f', '{"x":1}']],
    ],
    [
      'takes custom tools',
      [
        call({ index: 0, id: 'a', type: 'custom', custom: { name: 'f', input: 'ab' } }),
        call({ index: 0, custom: { input: 'c' } }),
      ],
      [['a', 'f', 'abc']],
    ],
  ];
  for (const [name, frames, expected] of cases) {
    it(name, () => {
      const deltas = decode(...frames, choiceFrame({}, { finish_reason: 'stop' }), done);
      assert.deepEqual(argsOf(deltas), expected);
      assert.deepEqual(
        of(deltas, 'finish').map((delta) => delta.reason),
        ['tool_calls'],
      );
      const blocks = deltas.flatMap((delta) => ('block' in delta ? [delta.block] : []));
      assert.deepEqual(
        blocks,
        blocks.toSorted((a, b) => a - b),
      );
    });
  }
});

describe('content of chat streams', () => {
  const cases: readonly (readonly [string, readonly Frame[], readonly unknown[]])[] = [
    [
      'reasoning_content',
      [choiceFrame({ reasoning_content: 'hm' }), choiceFrame({ content: 'ok' })],
      [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'ok' },
      ],
    ],
    ['reasoning', [choiceFrame({ reasoning: 'hm', content: '' })], [{ type: 'thinking', text: 'hm' }]],
    [
      'content as parts',
      [
        choiceFrame({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'h' }] }] }),
        choiceFrame({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'm' }] }] }),
        choiceFrame({ content: [{ type: 'text', text: 'ok' }] }),
      ],
      [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'ok' },
      ],
    ],
    [
      'content_blocks beside the same content',
      [
        choiceFrame({ content_blocks: [{ index: 0, delta: { thinking: 'hm' } }] }),
        choiceFrame({ content_blocks: [{ index: 0, delta: { signature: 'sig' } }] }),
        choiceFrame({ content_blocks: [{ index: 1, delta: { data: 'xx' } }] }),
        choiceFrame({ content: 'ok', content_blocks: [{ index: 2, delta: { text: 'ok' } }] }),
      ],
      [
        { type: 'thinking', text: 'hm', signature: 'sig' },
        { type: 'redacted-thinking', data: 'xx' },
        { type: 'text', text: 'ok' },
      ],
    ],
    ['refusal', [choiceFrame({ refusal: 'No' }), choiceFrame({ refusal: '.' })], [{ type: 'refusal', text: 'No.' }]],
    [
      'annotations',
      [
        choiceFrame({ content: 'ok' }),
        choiceFrame({
          annotations: [
            {
              type: 'url_citation',
              url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 },
            },
          ],
        }),
      ],
      [
        {
          type: 'text',
          text: 'ok',
          citations: [
            {
              type: 'url_citation',
              url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 },
            },
          ],
        },
      ],
    ],
    [
      'text after a tool call',
      [
        choiceFrame({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] }),
        choiceFrame({ content: 'ok' }),
      ],
      [
        { type: 'tool-call', id: 'a', name: 'f', arguments: '{}' },
        { type: 'text', text: 'ok' },
      ],
    ],
    [
      'text behind a finish word',
      [
        choiceFrame({ content: 'a' }, { finish_reason: 'stop' }),
        choiceFrame({ content: 'b' }, { finish_reason: 'stop' }),
      ],
      [{ type: 'text', text: 'ab' }],
    ],
  ];
  for (const [name, frames, parts] of cases) {
    it(`reads ${name}`, () => {
      const deltas = decode(...frames, done);
      assert.deepEqual(collect(deltas).choices[0]?.parts, parts);
      assert.equal(of(deltas, 'finish').length, 1);
      assert.equal(deltas.at(-1)?.type, 'end');
    });
  }

  it('gives log probabilities before the text that they are about', () => {
    const deltas = decode(choiceFrame({ content: 'a' }, { logprobs: { content: [{ token: 'a' }] } }), done);
    assert.deepEqual(
      deltas.slice(1, 3).map((delta) => delta.type),
      ['logprobs', 'text'],
    );
  });

  it('gives an unknown field once for as long as it says the same', () => {
    const chunk = (text: string) =>
      chunkFrame({ id: 'a', provider: 'x', obfuscation: text, choices: [{ index: 0, delta: { content: text } }] });
    assert.deepEqual(of(decode(chunk('a'), chunk('b'), done), 'extra'), [{ type: 'extra', fields: { provider: 'x' } }]);
  });
});
