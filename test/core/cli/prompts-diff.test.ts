import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { lineDiff } from '../../../core/cli/prompts/line-diff.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 40 });
const textOf = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');

/** Does to a text what the diff says, as `patch` would. */
function patched(before: readonly string[], diff: string): readonly string[] {
  const after: string[] = [];
  let at = 0;
  for (const line of diff === '' ? [] : diff.split('\n')) {
    const [, first, length] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
    if (first !== undefined) {
      const start = Number(first) - (length === '0' ? 0 : 1);
      after.push(...before.slice(at, start));
      at = start;
    } else if (line.startsWith('+')) after.push(line.slice(1));
    else {
      assert.equal(line.slice(1), before[at]);
      if (line.startsWith(' ')) after.push(line.slice(1));
      at += 1;
    }
  }
  return [...after, ...before.slice(at)];
}

function sharedLength(one: readonly string[], other: readonly string[]): number {
  let row = new Array<number>(other.length + 1).fill(0);
  for (const a of one) {
    const next = [0];
    for (const [index, b] of other.entries())
      next.push(a === b ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe('the difference of two texts', () => {
  it('makes the one of the other, in as few lines as can be', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(textOf(before), textOf(after));
        assert.deepEqual(patched(before, diff), after);
        const edits = diff.split('\n').filter((line) => /^[+-]/.test(line)).length;
        assert.equal(edits, before.length + after.length - 2 * sharedLength(before, after));
      }),
      { numRuns: 500 },
    );
  });

  it('is nothing for equal texts', () => assert.equal(lineDiff('a\nb\n', 'a\nb\n'), ''));

  it('shows three lines around each change, and where they are', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    const after = before.with(1, 'second').toSpliced(15, 1);
    assert.equal(
      lineDiff(textOf(before), textOf(after)),
      `@@ -1,5 +1,5 @@
 line 1
-line 2
+second
 line 3
 line 4
 line 5
@@ -13,7 +13,6 @@
 line 13
 line 14
 line 15
-line 16
 line 17
 line 18
 line 19`,
    );
  });

  it('shows a new text whole', () => assert.equal(lineDiff('', 'a\nb\n'), '@@ -0,0 +1,2 @@\n+a\n+b'));

  it('shows texts that have too little in common as one in place of the other', () => {
    const before = Array.from({ length: 1500 }, (_, index) => `a${index}`);
    const after = Array.from({ length: 1500 }, (_, index) => `b${index}`);
    assert.deepEqual(patched(before, lineDiff(textOf(before), textOf(after))), after);
  });
});
