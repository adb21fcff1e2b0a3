import type { TextEdit } from './edits.ts';

/** Above this the middle is one edit: the table would cost more than the precision is worth. */
const maxCells = 1_000_000;

/**
 * The edits that turn one text into another, word by word: for vendors who answer with the whole text. `index` is that of
 * the scanned text.
 */
export function editsBetween(
  index: number,
  before: string,
  after: string,
): readonly (TextEdit & { readonly text: number })[] {
  if (before === after) return [];
  const old = words(before);
  const next = words(after);
  let head = 0;
  while (head < old.length && head < next.length && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < next.length - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  const start = lengthOf(old.slice(0, head));
  const middle = changes(old.slice(head, old.length - tail), next.slice(head, next.length - tail));
  return middle.map((edit) => ({ text: index, start: start + edit.start, end: start + edit.end, with: edit.with }));
}

/** Runs of letters and digits, and each other character for itself. */
function words(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gsu) ?? [];
}

function lengthOf(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function changes(old: readonly string[], next: readonly string[]): readonly TextEdit[] {
  const whole = { start: 0, end: lengthOf(old), with: next.join('') };
  const width = next.length + 1;
  if ((old.length + 1) * width > maxCells) return [whole];
  const common = commonLengths(old, next);
  const edits: TextEdit[] = [];
  let [i, j, at] = [0, 0, 0];
  let open: { start: number; with: string } | undefined;
  const close = () => {
    if (open !== undefined) edits.push({ start: open.start, end: at, with: open.with });
    open = undefined;
  };
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      close();
      at += old[i]?.length ?? 0;
      i += 1;
      j += 1;
      continue;
    }
    open ??= { start: at, with: '' };
    const skipsOld = (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0);
    if (j >= next.length || (i < old.length && skipsOld)) {
      at += old[i]?.length ?? 0;
      i += 1;
    } else {
      open.with += next[j] ?? '';
      j += 1;
    }
  }
  close();
  return edits;
}

/** Cell (i, j): how many words the rests of both texts from i and j have in common, in order. */
function commonLengths(old: readonly string[], next: readonly string[]): Uint32Array {
  const width = next.length + 1;
  const table = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      const equal = old[i] === next[j];
      table[i * width + j] = equal
        ? (table[(i + 1) * width + j + 1] ?? 0) + 1
        : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
    }
  }
  return table;
}
