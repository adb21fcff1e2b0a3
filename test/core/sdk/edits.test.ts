import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyEdits, editsBetween, type TextEdit } from 'portcullis/sdk';

const edit = (start: number, end: number, text: string): TextEdit => ({ start, end, with: text });

describe('edits of a text', () => {
  const rows: readonly (readonly [string, string, readonly TextEdit[], string])[] = [
    ['nothing', 'abc', [], 'abc'],
    ['one place', 'abcdef', [edit(1, 3, 'X')], 'aXdef'],
    ['an insertion', 'abc', [edit(1, 1, '-')], 'a-bc'],
    ['two insertions in their order', 'abc', [edit(1, 1, '1'), edit(1, 1, '2')], 'a12bc'],
    ['places that touch', 'abcdef', [edit(3, 6, '2'), edit(0, 3, '1')], '12'],
    ['an insertion before a place', 'abcdef', [edit(3, 5, 'X'), edit(3, 3, '-')], 'abc-Xf'],
    ['an insertion behind a place', 'abcdef', [edit(3, 5, 'X'), edit(5, 5, '-')], 'abcX-f'],
    ['the same place twice, the first wins', 'abcdef', [edit(1, 3, '1'), edit(1, 3, '2')], 'a1def'],
    ['a place within a place', 'abcdef', [edit(2, 3, 'in'), edit(1, 5, 'OUT')], 'aOUTf'],
    ['places that overlap', 'abcdef', [edit(0, 4, '1'), edit(2, 6, '2')], '12'],
    ['a chain of places', 'abcdef', [edit(0, 3, '1'), edit(2, 5, '2'), edit(4, 6, '3')], '123'],
    ['what is outside, cut to the text', 'abc', [edit(-5, 1, 'X'), edit(2, 99, 'Y')], 'XbY'],
    ['an end before its start, as an insertion', 'abc', [edit(2, 1, 'X')], 'abXc'],
    ['a replacement that looks like a pattern', 'abcdef', [edit(0, 6, '-b-'), edit(1, 2, '$&')], '-$&-'],
    ['a wider text that keeps what is removed', 'call Ann', [edit(0, 8, 'Call Ann'), edit(5, 8, '*')], 'Call *'],
    ['two whole texts', 'x Ann Bob', [edit(0, 9, 'x [1] Bob'), edit(0, 9, 'x Ann [2]')], 'x [1] [2]'],
    ['a whole text and a place across it', 'a b c d', [edit(0, 5, 'a X c'), edit(4, 7, '*')], 'a X *'],
    ['a marker of several words, in one piece', 'Ann Lee Jr', [edit(0, 7, '[A NAME]'), edit(4, 10, '*')], '[A NAME]*'],
  ];
  for (const [what, text, edits, result] of rows) {
    it(`change ${what}`, () => assert.equal(applyEdits(text, edits), result));
  }

  it('leave nothing that any of them removes, and everything else, wherever they lie', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), places, (length, given) => {
        // Each unit is there once, so what is left can be told.
        const text = String.fromCharCode(...Array.from({ length }, (_, at) => 0x4e00 + at));
        const edits = given.map(([from, size], at) =>
          edit(from % length, Math.min(length, (from % length) + size), `<${at}>`),
        );
        const result = applyEdits(text, edits);
        const removed = new Set(edits.flatMap(({ start, end }) => [...text.slice(start, end)]));
        const left = [...text].filter((unit) => !removed.has(unit));
        assert.equal(result.replaceAll(/<\d+>/g, ''), left.join(''));
      }),
      { numRuns: 2000 },
    );
  });

  it('leave no word that a check redacts, when other checks give whole texts', () => {
    const word = fc.constantFrom('ann', 'bob', 'eve', 'and', 'the', 'of');
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 20 }),
        fc.subarray(['ann', 'bob', 'eve']),
        (words, secrets) => {
          const text = words.join(' ');
          const edits = secrets.map((secret, at) => edit(0, text.length, text.replaceAll(secret, `<${at}>`)));
          const result = applyEdits(text, edits);
          const expected = words.map((one) => (secrets.includes(one) ? `<${secrets.indexOf(one)}>` : one)).join(' ');
          assert.equal(result, expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('give the same whatever the order of places that do not touch', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12, maxLength: 40, unit: 'binary' }), fc.boolean(), (text, turned) => {
        const edits = [edit(0, 2, 'A'), edit(4, 4, 'B'), edit(6, 9, 'C')];
        assert.equal(
          applyEdits(text, turned ? edits.toReversed() : edits),
          `A${text.slice(2, 4)}B${text.slice(4, 6)}C${text.slice(9)}`,
        );
      }),
    );
  });

  it('of a large text are many and wide', () => {
    const text = 'Ann met Bob. '.repeat(20_000);
    const small = [...text.matchAll(/Ann/g)].map(({ index }) => edit(index, index + 3, '*'));
    const result = applyEdits(text, [edit(0, text.length, text.replaceAll('Bob', '#')), ...small]);
    assert.ok(!/Ann|Bob/.test(result));
  });
});

const places = fc.array(fc.tuple(fc.nat({ max: 59 }), fc.nat({ max: 12 })), { maxLength: 8 });

describe('the edits between two texts', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc
      .array(fc.constantFrom('a', 'bc', 'd', ' ', '.', '\u{1F600}', '\ud83d', '\ude00', 'é'), { maxLength: 60 })
      .map((parts) => parts.join('')),
  );

  it('turn one into the other', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        assert.equal(applyEdits(before, editsBetween(0, before, after)), after);
      }),
      { numRuns: 3000 },
    );
  });

  it('lie in order, apart from each other, and split no character', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        let at = -1;
        for (const { start, end } of editsBetween(3, before, after)) {
          assert.ok(start > at && end >= start && end <= before.length);
          assert.ok(!splits(before, start) && !splits(before, end));
          at = end;
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('are none between equal texts', () => assert.deepEqual(editsBetween(0, 'same', 'same'), []));

  it('name the words that differ, and the text they are of', () => {
    assert.deepEqual(editsBetween(2, 'Ann met Bob.', '[1] met [2].'), [
      { text: 2, start: 0, end: 3, with: '[1]' },
      { text: 2, start: 8, end: 11, with: '[2]' },
    ]);
  });

  it('are one where the middle is too long to compare', () => {
    const before = `head ${'a b '.repeat(2000)}tail`;
    const after = `head ${'c d '.repeat(2000)}tail`;
    const edits = editsBetween(0, before, after);
    assert.equal(edits.length, 1);
    assert.equal(applyEdits(before, edits), after);
    assert.deepEqual([edits[0]?.start, edits[0]?.end], [5, before.length - 5]);
  });
});

/** Whether the place is between the halves of a pair. */
function splits(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));
}
