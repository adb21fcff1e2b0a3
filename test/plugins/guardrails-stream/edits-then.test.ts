import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyEdits, type TextEdit } from 'portcullis/sdk';
import { disjoint } from '../../../plugins/guardrails/stream/edited-part.ts';
import { editsThen } from '../../../plugins/guardrails/stream/edits-then.ts';

const text = 'alpha beta gamma delta';
const edits = fc.array(
  fc.record({ start: fc.nat(22), length: fc.nat(6), with: fc.constantFrom('', 'X', 'longer than it was') }),
  { maxLength: 4 },
);
const within = (said: string, made: readonly { start: number; length: number; with: string }[]): readonly TextEdit[] =>
  disjoint(
    said,
    made.map(({ start, length, with: instead }) => ({
      start: Math.min(start, said.length),
      end: Math.min(start + length, said.length),
      with: instead,
    })),
  );

describe('edits, and then others', () => {
  it('come to the same as one after the other, and none overlaps another', () => {
    fc.assert(
      fc.property(edits, edits, (one, other) => {
        const first = within(text, one);
        const between = applyEdits(text, first);
        const then = within(between, other);
        const all = editsThen(text, first, then);
        assert.equal(applyEdits(text, all), applyEdits(between, then));
        const ordered = all.toSorted((a, b) => a.start - b.start || a.end - b.end);
        for (const [index, { start, end }] of ordered.entries())
          assert.ok(start <= end && end <= (ordered[index + 1]?.start ?? text.length), JSON.stringify(all));
      }),
      { numRuns: 2000 },
    );
  });

  it('take away all that either has taken away', () => {
    const first = [{ start: 6, end: 10, with: '[X]' }];
    assert.deepEqual(editsThen(text, first, [{ start: 8, end: 15, with: '!' }]), [{ start: 6, end: 16, with: '[X!' }]);
    assert.deepEqual(editsThen(text, first, [{ start: 0, end: 5, with: 'A' }]), [
      { start: 0, end: 5, with: 'A' },
      { start: 6, end: 10, with: '[X]' },
    ]);
  });
});
