import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects, GatewayError, type Json } from 'portcullis/sdk';

const context = { strict: true, dropped: () => {} };
const { embeddings, 'gemini-embeddings': contents } = dialects;
const read = (input: Json) => embeddings.decodeCall({ model: 'm', input }, context);
const png = 'data:image/png;base64,iVBORw0KGgo=';

describe('inputs that are more than a text', () => {
  const cases: readonly (readonly [given: Json, read: unknown])[] = [
    [{ text: 'a' }, 'a'],
    [{ content: 'a' }, 'a'],
    [{ type: 'text', text: 'a' }, 'a'],
    [{ image: 'https://x/1.png' }, { image: 'https://x/1.png' }],
    [
      { text: 'a', image: { url: png } },
      { text: 'a', image: png },
    ],
    [{ image: { base64: 'iVBORw0KGgo=', mime_type: 'image/png' } }, { image: png }],
    [{ video: 'https://x/1.mp4' }, { video: 'https://x/1.mp4' }],
    [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: png } },
        ],
      },
      { text: 'a', image: png },
    ],
  ];
  for (const [given, expected] of cases) {
    it(`are read from ${JSON.stringify(given)}`, () => {
      assert.deepEqual(read([given]).input, [expected]);
      assert.deepEqual(read(['b', given]).input, ['b', expected]);
    });
  }

  it('go out as objects of a list, and texts alone as ever', () => {
    const written = (input: Json) => embeddings.encodeCall(read(input), context).input;
    assert.deepEqual(written([{ text: 'a', image: png }]), [{ text: 'a', image: png }]);
    assert.equal(written([{ text: 'a' }]), 'a');
    assert.deepEqual(written(['a', { image: png }]), ['a', { image: png }]);
  });

  it('are parts of one content, there and back', () => {
    const body = contents.encodeCall(read([{ text: 'a', image: png }, 'b']), context);
    assert.deepEqual(body, {
      requests: [
        {
          model: 'models/m',
          content: { parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] },
        },
        { model: 'models/m', content: { parts: [{ text: 'b' }] } },
      ],
    });
    assert.deepEqual(contents.decodeCall(body, context).input, [{ text: 'a', image: png }, 'b']);
  });

  it('are refused where they would be lost', () => {
    const unread: readonly (() => unknown)[] = [
      () => read([{ audio: 'https://x/1.mp3' }]),
      () => read([{ text: 'a', audio: 'https://x/1.mp3' }]),
      () => read([{ content: [{ type: 'input_audio' }] }]),
      () => contents.encodeCall(read([[1, 2]]), context),
      () =>
        contents.decodeCall({ content: { parts: [{ inlineData: { mimeType: 'audio/wav', data: 'x' } }] } }, context),
    ];
    for (const fails of unread)
      assert.throws(
        fails,
        (error) => GatewayError.is(error) && error.code === 'translation_unsupported',
        String(fails),
      );
  });
});
