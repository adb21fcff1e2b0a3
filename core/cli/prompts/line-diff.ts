const context = 3;
/** Texts that differ in more lines than this are shown as one replaced by the other. */
const mostEdits = 2000;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** The difference of two texts as a unified diff without its head: `@@ -1,4 +1,4 @@` and marked lines; '' for equal texts. */
export function lineDiff(before: string, after: string): string {
  const lines = marked(linesOf(before), linesOf(after));
  return hunksOf(lines)
    .map(([start, end]) => hunk(lines, start, end))
    .join('\n');
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function marked(before: readonly string[], after: readonly string[]): readonly Line[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const same = (text: string): Line => ({ mark: ' ', text });
  return [
    ...before.slice(0, head).map(same),
    ...edits(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

/**
 * The shortest way from one list to the other: the greedy search of E. W. Myers, "An O(ND) Difference Algorithm and Its
 * Variations" (1986). `reach[k]` is how far into `before` the paths with k more removals than additions have come.
 */
function edits(before: readonly string[], after: readonly string[]): readonly Line[] {
  const most = Math.min(before.length + after.length, mostEdits);
  const middle = most + 1;
  const reach = new Int32Array(2 * most + 3);
  const rounds: Int32Array[] = [];
  for (let round = 0; round <= most; round += 1) {
    rounds.push(reach.slice(middle - round - 1, middle + round + 2));
    for (let k = -round; k <= round; k += 2) {
      const down = k === -round || (k !== round && at(reach, middle + k - 1) < at(reach, middle + k + 1));
      let x = down ? at(reach, middle + k + 1) : at(reach, middle + k - 1) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x += 1;
      reach[middle + k] = x;
      if (x >= before.length && x - k >= after.length) return walkedBack(before, after, rounds);
    }
  }
  return [...before.map((text): Line => ({ mark: '-', text })), ...after.map((text): Line => ({ mark: '+', text }))];
}

function walkedBack(before: readonly string[], after: readonly string[], rounds: readonly Int32Array[]): Line[] {
  const lines: Line[] = [];
  let x = before.length;
  let y = after.length;
  for (let round = rounds.length - 1; round >= 0; round -= 1) {
    const reach = rounds[round] ?? new Int32Array();
    const middle = round + 1;
    const k = x - y;
    const down = k === -round || (k !== round && at(reach, middle + k - 1) < at(reach, middle + k + 1));
    const fromX = round === 0 ? 0 : at(reach, middle + (down ? k + 1 : k - 1));
    const fromY = round === 0 ? 0 : fromX - (down ? k + 1 : k - 1);
    while (x > fromX && y > fromY) {
      lines.push({ mark: ' ', text: before[x - 1] ?? '' });
      x -= 1;
      y -= 1;
    }
    if (round === 0) break;
    lines.push(down ? { mark: '+', text: after[y - 1] ?? '' } : { mark: '-', text: before[x - 1] ?? '' });
    x = fromX;
    y = fromY;
  }
  return lines.reverse();
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0;
}

/** The ranges of lines that are shown: each change with what stands around it. */
function hunksOf(lines: readonly Line[]): readonly (readonly [number, number])[] {
  const hunks: [number, number][] = [];
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    const start = Math.max(index - context, 0);
    const end = Math.min(index + context + 1, lines.length);
    const last = hunks.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  }
  return hunks;
}

function hunk(lines: readonly Line[], start: number, end: number): string {
  const ahead = lines.slice(0, start);
  const shown = lines.slice(start, end);
  const range = (mark: '-' | '+') => {
    const of = ({ mark: other }: Line) => other === mark || other === ' ';
    const length = shown.filter(of).length;
    return `${ahead.filter(of).length + (length === 0 ? 0 : 1)}${length === 1 ? '' : `,${length}`}`;
  };
  return [`@@ -${range('-')} +${range('+')} @@`, ...shown.map(({ mark, text }) => mark + text)].join('\n');
}
