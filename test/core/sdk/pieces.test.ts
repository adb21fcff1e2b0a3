import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { piecesOf } from 'portcullis/sdk';

const bounds = { longest: 10, overlap: 4 };

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
