import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { base64ToFloats, floatsToBase64 } from '../../../../sdk/dialects/embeddings/floats.ts';
import { embeddings } from '../../../../sdk/dialects/embeddings/index.ts';
import { context, frozen } from '../chat/codec.ts';

describe('embedding requests', () => {
  const inputs: readonly (readonly [unknown, readonly unknown[]])[] = [
    ['a', ['a']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [[1, 2], [[1, 2]]],
    [
      [[1, 2], [3]],
      [[1, 2], [3]],
    ],
  ];
  for (const [input, expected] of inputs) {
    it(`come out as they went in for ${JSON.stringify(input)}`, () => {
      const body = frozen({
        model: 'm',
        input: input as string,
        dimensions: 3,
        encoding_format: 'base64',
        user: 'u',
        task: 'x',
      });
      const call = embeddings.decodeCall(body, context());
      assert.deepEqual(call.input, expected);
      assert.deepEqual(embeddings.encodeCall(call, context()), body);
    });
  }
  it('keep an unknown encoding', () => {
    const body = { model: 'm', input: 'a', encoding_format: 'int8' };
    assert.deepEqual(embeddings.encodeCall(embeddings.decodeCall(body, context()), context()), body);
  });
});

describe('embedding replies', () => {
  const reply = frozen({
    object: 'list',
    data: [
      { object: 'embedding', index: 1, embedding: 'AACAPwAAAEA=' },
      { object: 'embedding', index: 0, embedding: [0.5, -0.25] },
    ],
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: 8, total_tokens: 8 },
  });
  const decoded = embeddings.decodeReply(reply, context());

  it('are read in the order of their inputs, floats or base64', () => {
    assert.deepEqual(decoded, {
      model: 'text-embedding-3-small',
      vectors: [
        [0.5, -0.25],
        [1, 2],
      ],
      usage: { input: 8, output: 0, total: 8 },
    });
  });
  it('are written in the encoding that the client asked for', () => {
    const written = (format: string) =>
      (
        embeddings.encodeReply(frozen(decoded), context(true, { encoding_format: format })).data as readonly {
          embedding: unknown;
        }[]
      ).map((row) => row.embedding);
    assert.deepEqual(written('float'), [
      [0.5, -0.25],
      [1, 2],
    ]);
    assert.equal(written('base64')[1], 'AACAPwAAAEA=');
  });
  it('are read without data or usage', () => {
    assert.deepEqual(embeddings.decodeReply({}, context()), { model: 'asked', vectors: [] });
  });
  it('keep every 32-bit float in base64', () => {
    fc.assert(
      fc.property(fc.array(fc.float({ noNaN: true })), (numbers) => {
        assert.deepEqual(base64ToFloats(floatsToBase64(frozen(numbers))), numbers);
      }),
    );
  });
});
