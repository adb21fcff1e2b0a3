import { applyEdits, editsBetween, type TextEdit } from 'portcullis/sdk';

/** A part as it goes out: up to the cut, with the edits made. */
export interface EditedPart {
  readonly text: string;
  readonly cut: number;
  /** None overlaps another. */
  readonly edits: readonly TextEdit[];
}

/** The text of one step as it goes out: an edit is said where it begins. */
export function editedBetween({ text, edits }: Omit<EditedPart, 'cut'>, start: number, end: number): string {
  if (start >= end) return '';
  const inside = edits
    .filter((edit) => edit.end > start || edit.start >= start)
    .filter((edit) => edit.start < end || (edit.start === end && end === text.length))
    .map((edit) => ({
      start: Math.max(edit.start, start) - start,
      end: Math.min(edit.end, end) - start,
      with: edit.start >= start ? edit.with : '',
    }));
  return applyEdits(text.slice(start, end), inside);
}

/** Edits that come to the same, of which none overlaps another: what one takes away must not be said by another one. */
export function disjoint(text: string, edits: readonly TextEdit[]): readonly TextEdit[] {
  const ordered = edits.toSorted((a, b) => a.start - b.start);
  const overlaps = ordered.some((edit, index) => edit.start < (ordered[index - 1]?.end ?? 0));
  if (!overlaps) return edits;
  return editsBetween(0, text, applyEdits(text, edits)).flatMap((edit) =>
    'text' in edit ? [{ start: edit.start, end: edit.end, with: edit.with }] : [],
  );
}
