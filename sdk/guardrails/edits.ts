import { editsBetween } from './difference.ts';

/** A change of one text; positions count UTF-16 units of the text before any change. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly with: string;
}

interface Group {
  readonly start: number;
  end: number;
  readonly edits: TextEdit[];
}

/**
 * The text after all edits, however they overlap: nothing that one of them takes away is in the result because another
 * one covers the same place. Edits outside the text are cut to it.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  if (edits.length === 0) return text;
  const within = edits.map(({ start, end, with: replacement }) => {
    const from = clamp(start, 0, text.length);
    return { start: from, end: clamp(end, from, text.length), with: replacement };
  });
  const narrow = grouped(within).flatMap((group) => narrowed(text, group));
  let result = '';
  let at = 0;
  for (const group of grouped(narrow)) {
    result += text.slice(at, group.start) + replacementOf(text, group);
    at = group.end;
  }
  return result + text.slice(at);
}

/** Edits that touch the same place stand in one group, wider ones first; insertions at its border stay outside. */
function grouped(edits: readonly TextEdit[]): readonly Group[] {
  const isInsertion = ({ start, end }: TextEdit) => Number(start === end);
  const ordered = edits.toSorted(
    (a, b) => a.start - b.start || isInsertion(b) - isInsertion(a) || (isInsertion(a) === 1 ? 0 : b.end - a.end),
  );
  const groups: Group[] = [];
  for (const edit of ordered) {
    const last = groups.at(-1);
    if (last === undefined || edit.start >= last.end) groups.push({ start: edit.start, end: edit.end, edits: [edit] });
    else {
      last.end = Math.max(last.end, edit.end);
      last.edits.push(edit);
    }
  }
  return groups;
}

/**
 * An edit that puts back words which others of its group may be taking away, as one of the whole text does, becomes the
 * changes that it makes; any other says its replacement in one piece.
 */
function narrowed(text: string, { start, end, edits }: Group): readonly TextEdit[] {
  if (edits.length === 1) return edits;
  const removed = new Set(text.slice(start, end).match(/[\p{L}\p{N}]+/gu));
  return edits.flatMap((edit) => {
    const keeps = edit.with.match(/[\p{L}\p{N}]+/gu)?.some((word) => removed.has(word)) === true;
    if (!keeps) return [edit];
    return editsBetween(0, text.slice(edit.start, edit.end), edit.with).map((change) => ({
      start: edit.start + change.start,
      end: edit.start + change.end,
      with: change.with,
    }));
  });
}

/** One edit says its own text; of several, the widest ones say theirs in order, without what the others have taken away. */
function replacementOf(text: string, { edits }: Group): string {
  const [first, ...others] = edits;
  if (first !== undefined && others.length === 0) return first.with;
  const widest: TextEdit[] = [];
  const hidden = new Map<string, string>();
  let reached = -1;
  for (const { start, end, with: own } of edits) {
    if (end > reached) widest.push({ start, end, with: own });
    else if (end > start) hidden.set(text.slice(start, end), own);
    reached = Math.max(reached, end);
  }
  return widest.map(({ with: replacement }) => without(replacement, hidden)).join('');
}

/** What an inner edit removes must not live on in the text that a wider one puts there. */
function without(replacement: string, hidden: ReadonlyMap<string, string>): string {
  let kept = replacement;
  for (const [removed, own] of hidden) kept = kept.replaceAll(removed, () => own);
  return kept;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
