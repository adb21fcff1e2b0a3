import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { gemini } from '../../../../sdk/dialects/gemini/index.ts';
import type { Delta } from '../../../../sdk/dialects/neutral.ts';
import { createFramer } from '../../../../sdk/framing/framing.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { context, decodeFrames, encodeDeltas, fixtureText, framesOf, frozen } from './context.ts';

const recorded = fixtureText('function-call-stream.txt');
const frame = (body: unknown) => ({ data: JSON.stringify(body) });
const chunk = (parts: readonly JsonObject[], fields: JsonObject = {}) =>
  frame({ candidates: [{ content: { parts }, ...fields }] });
const broken = {
  type: 'fault',
  fault: { status: 502, message: 'The provider closed the stream before it was complete.' },
};

describe('gemini streams', () => {
  it('decode every part of every chunk, with a block for each call', () => {
    const deltas = decodeFrames(framesOf(recorded));
    assert.deepEqual(deltas[0], {
      type: 'start',
      id: 'ctSfaIzLC43Qz7IPzsvdkAg',
      model: 'gemini-3-flash-preview',
      created: 1_700_000_000,
      usage: { input: 81, output: 60, total: 141, reasoning: 60 },
    });
    assert.deepEqual(deltas.slice(1), [
      { type: 'thinking', choice: 0, block: 0, text: '**Considering the division**\n\n' },
      { type: 'thinking', choice: 0, block: 0, text: 'I need two calls.' },
      { type: 'text', choice: 0, block: 1, text: 'Let me ' },
      { type: 'text', choice: 0, block: 1, text: 'divide.' },
      { type: 'tool-call', choice: 0, block: 2, id: 'call_1', name: 'customDivide', signature: 'CiQBVKhc7gVN' },
      { type: 'tool-arguments', choice: 0, block: 2, text: '{"denominator":2,"numerator":10}' },
      { type: 'tool-call', choice: 0, block: 3, id: 'call_2', name: 'customDivide' },
      { type: 'tool-arguments', choice: 0, block: 3, text: '{"denominator":3,"numerator":9}' },
      { type: 'thinking', choice: 0, block: 4, text: '' },
      { type: 'signature', choice: 0, block: 4, signature: 'Ci0BVKhc7nIr' },
      { type: 'extra', choice: 0, fields: { finishMessage: 'Model generated function call(s).' } },
      { type: 'finish', choice: 0, reason: 'tool_calls', native: 'STOP' },
      { type: 'usage', usage: { input: 81, output: 199, total: 280, reasoning: 179 } },
      { type: 'end' },
    ]);
  });

  it('decode the same whatever the chunks of bytes', () => {
    const bytes = Buffer.from(recorded);
    const whole = decodeFrames(framesOf(recorded));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 30 }), (cuts) => {
        const framer = createFramer('sse');
        const points = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const frames = points.slice(1).flatMap((end, index) => framer.push(bytes.subarray(points[index], end)));
        assert.deepEqual(decodeFrames([...frames, ...framer.end()]), whole);
      }),
    );
  });

  it('decode the elements of a JSON array the same', () => {
    const elements = framesOf(recorded).map(({ data }) => data);
    const framer = createFramer('json-array');
    const frames = [...framer.push(Buffer.from(`[${elements.join(',\n')}]`)), ...framer.end()];
    assert.deepEqual(decodeFrames(frames), decodeFrames(framesOf(recorded)));
  });

  it('give citations once, after the text that they are for', () => {
    const groundingMetadata = { groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }] };
    const deltas = decodeFrames([
      chunk([{ text: 'x' }], { groundingMetadata }),
      chunk([{ text: 'y' }], { groundingMetadata, finishReason: 'STOP' }),
    ]);
    assert.deepEqual(deltas.slice(1, 5), [
      { type: 'text', choice: 0, block: 0, text: 'x' },
      { type: 'citation', choice: 0, block: 0, citation: { type: 'url_citation', url: 'https://a.test', title: 'A' } },
      { type: 'extra', choice: 0, fields: { groundingMetadata } },
      { type: 'text', choice: 0, block: 0, text: 'y' },
    ]);
  });

  it('put a signature before the text that it begins, and after a text that goes on', () => {
    const deltas = decodeFrames([
      chunk([{ text: 'a', thoughtSignature: 's1' }]),
      chunk([{ text: 'b', thoughtSignature: 's2' }], { finishReason: 'STOP' }),
    ]);
    assert.deepEqual(
      deltas.slice(1, -2).map((delta) => [delta.type, 'block' in delta ? delta.block : undefined]),
      [
        ['thinking', 0],
        ['signature', 0],
        ['text', 1],
        ['text', 1],
        ['thinking', 2],
        ['signature', 2],
      ],
    );
  });

  const ends: readonly (readonly [string, readonly { data: string }[], unknown])[] = [
    ['nothing', [], broken],
    ['no finish reason', [chunk([{ text: 'x' }])], broken],
    [
      'one of two candidates unfinished',
      [
        frame({
          candidates: [
            { index: 0, finishReason: 'STOP' },
            { index: 1, content: {} },
          ],
        }),
      ],
      broken,
    ],
    [
      'an overload',
      [chunk([{ text: 'x' }]), frame({ error: { code: 503, status: 'UNAVAILABLE', message: 'over' } })],
      { type: 'fault', fault: { status: 503, message: 'over', type: 'overloaded_error', code: 'UNAVAILABLE' } },
    ],
    [
      'an array of errors',
      [frame([{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'q' } }])],
      { type: 'fault', fault: { status: 429, message: 'q', type: 'rate_limit_error', code: 'RESOURCE_EXHAUSTED' } },
    ],
    [
      'text that is no JSON',
      [{ data: '{oops' }],
      {
        type: 'fault',
        fault: { status: 502, message: 'The provider sent an event that is not in the format of its stream.' },
      },
    ],
    ['a finish reason', [chunk([], { finishReason: 'MAX_TOKENS' }), { data: '' }], { type: 'end' }],
  ];
  for (const [name, frames, last] of ends) {
    it(`end rightly after ${name}`, () => assert.deepEqual(decodeFrames(frames).at(-1), last));
  }

  it('of a blocked prompt finish with content_filter', () => {
    const deltas = decodeFrames([
      frame({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3 } }),
    ]);
    assert.deepEqual(deltas.slice(1), [
      { type: 'finish', choice: 0, reason: 'content_filter', native: 'SAFETY' },
      { type: 'usage', usage: { input: 3, output: 0 } },
      { type: 'end' },
    ]);
  });

  it('encode a tool call as one whole part, and finish reasons and usage last', () => {
    const text = encodeDeltas([
      { type: 'start', id: 'r', model: 'm' },
      { type: 'thinking', choice: 0, block: 0, text: 'hm' },
      { type: 'signature', choice: 0, block: 0, signature: 's' },
      { type: 'text', choice: 0, block: 1, text: 'hi' },
      { type: 'tool-call', choice: 0, block: 2, id: 'c', name: 'f', signature: 'z' },
      { type: 'tool-arguments', choice: 0, block: 2, text: '{"a"' },
      { type: 'tool-arguments', choice: 0, block: 2, text: ':1}' },
      { type: 'tool-call', choice: 0, block: 3, id: 'd', name: 'g' },
      { type: 'finish', choice: 0, reason: 'tool_calls' },
      { type: 'usage', usage: { input: 1, output: 2 } },
      { type: 'end' },
    ]);
    const head = { modelVersion: 'm', responseId: 'r' };
    const candidate = (part: JsonObject) => ({
      candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }],
      ...head,
    });
    assert.deepEqual(
      framesOf(text).map(({ data }) => JSON.parse(data)),
      [
        candidate({ text: 'hm', thought: true }),
        candidate({ text: '', thought: true, thoughtSignature: 's' }),
        candidate({ text: 'hi' }),
        candidate({ functionCall: { id: 'c', name: 'f', args: { a: 1 } }, thoughtSignature: 'z' }),
        candidate({ functionCall: { id: 'd', name: 'g', args: {} } }),
        {
          candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, index: 0, finishReason: 'STOP' }],
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
          ...head,
        },
      ],
    );
    assert.ok(gemini.streamEnds.some((mark) => text.includes(mark)));
  });

  it('encode a fault as bare JSON, and nothing after it', () => {
    const encoder = gemini.encodeStream(context());
    const text = encoder.push({ type: 'fault', fault: { status: 529, message: 'busy' } });
    assert.deepEqual(JSON.parse(text), { error: { code: 529, message: 'busy', status: 'UNAVAILABLE' } });
    assert.equal(encoder.push({ type: 'end' }), '');
  });

  it('decode to the same content after encoding, for any well-formed sequence', () => {
    fc.assert(
      fc.property(sequence, (deltas) =>
        assert.deepEqual(contentOf(decodeFrames(framesOf(encodeDeltas(deltas)))), contentOf(deltas)),
      ),
    );
  });
});

type Block = { readonly kind: 'text' | 'thinking' | 'call' | 'proof' | 'image'; readonly pieces: readonly string[] };
const piece = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });
const blocks: fc.Arbitrary<readonly Block[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('text', 'thinking', 'call', 'proof', 'image'),
    pieces: fc.array(piece, { minLength: 1, maxLength: 3 }),
  }),
  { maxLength: 6 },
);
const sequence = fc
  .tuple(fc.array(blocks, { minLength: 1, maxLength: 2 }), fc.boolean())
  .map(([choices, early]): readonly Delta[] => {
    const usage = { input: 5, output: 7, reasoning: 2, total: 12 };
    return frozen([
      { type: 'start', id: 'r', model: 'm', ...(early ? { usage } : {}) },
      ...choices.flatMap((list, choice) => list.flatMap((block, index) => deltasOf(block, choice, index))),
      ...choices.map(
        (list, choice): Delta => ({
          type: 'finish',
          choice,
          reason: list.some(({ kind }) => kind === 'call') ? 'tool_calls' : 'stop',
        }),
      ),
      ...(early ? [] : [{ type: 'usage', usage } as const]),
      { type: 'end' },
    ]);
  });

function deltasOf({ kind, pieces }: Block, choice: number, block: number): readonly Delta[] {
  switch (kind) {
    case 'text':
    case 'thinking':
      return pieces.map((text) => ({ type: kind, choice, block, text }));
    case 'proof':
      return [{ type: 'signature', choice, block, signature: pieces.join('') }];
    case 'image':
      return [
        {
          type: 'part',
          choice,
          block,
          part: { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } },
        },
      ];
    case 'call':
      return [
        { type: 'tool-call', choice, block, id: `c${choice}-${block}`, name: 'f' },
        ...[...JSON.stringify({ pieces })].map((text): Delta => ({ type: 'tool-arguments', choice, block, text })),
      ];
  }
}

/** What a reader sees: joined texts, whole calls, finish reasons and usage, whatever the blocks. */
function contentOf(deltas: readonly Delta[]): unknown {
  const seen: unknown[] = [];
  const order = (delta: Delta): number =>
    'choice' in delta && delta.choice !== undefined && delta.type !== 'finish' ? delta.choice : 9;
  let usage: unknown;
  let last = '';
  for (const delta of [...deltas].sort((a, b) => order(a) - order(b))) {
    const label =
      'choice' in delta
        ? `${delta.type}:${delta.choice}:${delta.type === 'tool-arguments' ? delta.block : ''}`
        : delta.type;
    const text =
      delta.type === 'text' || delta.type === 'thinking' || delta.type === 'tool-arguments' ? delta.text : undefined;
    if (delta.type === 'start') usage = delta.usage ?? usage;
    else if (delta.type === 'usage') usage = delta.usage;
    else if (text === '') continue;
    else if (text !== undefined && label === last) seen.push(`${seen.pop()}${text}`);
    else if (text !== undefined) seen.push(`${delta.type}=${text}`);
    else if (delta.type === 'tool-call') seen.push([delta.choice, delta.id, delta.name]);
    else if (delta.type === 'finish') seen.push([delta.choice, delta.reason]);
    else if (delta.type === 'signature') seen.push([delta.choice, delta.signature]);
    else if (delta.type === 'part') seen.push([delta.choice, delta.part]);
    last = label;
  }
  return { seen, usage };
}
