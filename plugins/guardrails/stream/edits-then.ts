import { applyEdits, type TextEdit } from 'portcullis/sdk';

/** One edit, where it stands in the text between the two rounds. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  /** By how much an edit of the first round has made the text longer; undefined: it is of the second. */
  readonly grown: number | undefined;
  readonly edit: TextEdit;
}

/**
 * The edits that come to the same as the first ones, and then others of what those have made of the text. As those of each
 * round, no two of them overlap.
 */
export function editsThen(text: string, first: readonly TextEdit[], then: readonly TextEdit[]): readonly TextEdit[] {
  if (first.length === 0 || then.length === 0) return first.length === 0 ? then : first;
  const between = applyEdits(text, first);
  let grown = 0;
  return joined([...placed(first), ...then.map((edit) => ({ ...edit, grown: undefined, edit }))]).map((group) => {
    const start = Math.min(...group.map((stretch) => stretch.start));
    const end = Math.max(...group.map((stretch) => stretch.end));
    const again = group.filter((stretch) => stretch.grown === undefined);
    const before = grown;
    for (const stretch of group) grown += stretch.grown ?? 0;
    return {
      start: start - before,
      end: end - grown,
      with: applyEdits(
        between.slice(start, end),
        again.map(({ edit }) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
      ),
    };
  });
}

function placed(edits: readonly TextEdit[]): readonly Stretch[] {
  let shift = 0;
  return edits
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map((edit) => {
      const start = edit.start + shift;
      const grown = edit.with.length - (edit.end - edit.start);
      shift += grown;
      return { start, end: start + edit.with.length, grown, edit };
    });
}

/** Those that overlap stand in one group, in their order. */
function joined(stretches: readonly Stretch[]): readonly (readonly Stretch[])[] {
  const groups: Stretch[][] = [];
  let reached = 0;
  for (const stretch of stretches.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = groups.at(-1);
    if (last === undefined || stretch.start >= reached) groups.push([stretch]);
    else last.push(stretch);
    reached = Math.max(reached, stretch.end);
  }
  return groups;
}
