import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { piecesOf, placedPiecesOf } from 'portcullis/sdk';

const bounds = { longest: 10, overlap: 4, most: 40 };

describe('pieces of a text', () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['', ['']],
    ['abcdefghij', ['abcdefghij']],
    ['abcdefghijk', ['abcdefghij', 'ghijk']],
    ['abcdefghijklmnopq', ['abcdefghij', 'ghijklmnop', 'mnopq']],
    // The pair would be cut: by the end of the first piece, and by the beginning of the second.
    ['abcdefghi😀jk', ['abcdefghi', 'fghi😀jk']],
    ['abcde😀ghijk', ['abcde😀ghi', '😀ghijk']],
  ];
  for (const [text, pieces] of rows)
    it(`of ${JSON.stringify(text)}`, () => assert.deepEqual(piecesOf(text, bounds), pieces));

  it('say where in the text they begin', () => {
    for (const [text] of rows)
      for (const piece of placedPiecesOf(text, bounds)) assert.ok(text.startsWith(piece.text, piece.start));
    assert.deepEqual(
      placedPiecesOf('abcde😀ghijk', bounds).map(({ start }) => start),
      [0, 5],
    );
  });

  it('are no more than there may be', () => {
    assert.equal(piecesOf('a'.repeat(16), { ...bounds, most: 2 }).length, 2);
    assert.throws(() => piecesOf('a'.repeat(17), { ...bounds, most: 2 }), {
      code: 'check_failed',
      message: 'The check reads 16 characters at most; here are 17.',
    });
  });

  it('hold whatever is no longer than the overlap, are short enough and cut no character', () => {
    const texts = fc.string({ unit: 'grapheme-composite', maxLength: 80 });
    fc.assert(
      fc.property(texts, (text) => {
        const pieces = piecesOf(text, bounds);
        for (let at = 0; at + 3 <= text.length; at += 1)
          assert.ok(pieces.some((piece) => piece.includes(text.slice(at, at + 3))));
        for (const piece of pieces) assert.ok(piece.length <= bounds.longest && piece.isWellFormed());
      }),
    );
  });
});
