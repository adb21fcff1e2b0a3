import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TextEdit } from 'portcullis/sdk';
import { disjoint, editedBetween } from '../../../plugins/guardrails/stream/edited-part.ts';

/** As it goes out in steps of the given lengths. */
function inSteps(text: string, edits: readonly TextEdit[], lengths: readonly number[]): string {
  const part = { text, cut: text.length, edits: disjoint(text, edits) };
  let at = 0;
  return [...lengths, text.length]
    .map((length) => {
      const start = at;
      at = Math.min(text.length, at + length);
      return editedBetween(part, start, at);
    })
    .join('');
}

describe('a part that goes out in steps', () => {
  const text = 'Call Jane at home';

  it('says an edit once, where it begins', () => {
    assert.equal(inSteps(text, [{ start: 5, end: 9, with: '[X]' }], [6, 1, 1]), 'Call [X] at home');
  });

  it('says what is put in at its borders', () => {
    const edits = [
      { start: 0, end: 0, with: '> ' },
      { start: text.length, end: text.length, with: ' <' },
    ];
    assert.equal(inSteps(text, edits, [4, 4]), '> Call Jane at home <');
  });

  it('does not say in one edit what another one takes away', () => {
    const edits = [
      { start: 0, end: text.length, with: 'Please call Jane at home' },
      { start: 5, end: 9, with: '[X]' },
    ];
    for (const lengths of [[], [3], [6, 2], [1, 1, 1, 1, 1, 1]]) {
      const said = inSteps(text, edits, lengths);
      assert.doesNotMatch(said, /Jane/);
      assert.match(said, /\[X\] at home$/);
    }
  });

  it('is the same in whatever steps when edits overlap', () => {
    const edits = [
      { start: 0, end: 9, with: 'A' },
      { start: 5, end: 12, with: 'B' },
    ];
    const whole = inSteps(text, edits, []);
    for (const lengths of [[1], [7], [6, 2], [2, 2, 2, 2]]) assert.equal(inSteps(text, edits, lengths), whole);
  });
});
