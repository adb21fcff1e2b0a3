import type { Ranges } from '../../sdk/guardrails/patterns/code-points.ts';
import type { Node } from '../../sdk/guardrails/patterns/node.ts';

const isWord = (text: string, at: number) => /\w/.test(text.charAt(at));

/**
 * How many code points a backtracking engine looks at while it finds all matches of a pattern in a text of the basic
 * plane: the plainest such engine, without any of the tricks of a real one.
 */
export function backtrackingSteps(node: Node, text: string): number {
  let steps = 0;

  const inSet = (ranges: Ranges, at: number) => {
    steps += 1;
    const unit = text.charCodeAt(at);
    return at < text.length && ranges.some(([from, to]) => from <= unit && unit <= to);
  };

  const match = (of: Node, at: number, then: (end: number) => number): number => {
    switch (of.kind) {
      case 'opaque':
        throw new Error('Only RE2 knows this set.');
      case 'set':
        return inSet(of.ranges, at) ? then(at + 1) : -1;
      case 'capture':
        return match(of.of, at, then);
      case 'assertion': {
        steps += 1;
        const boundary = isWord(text, at - 1) !== isWord(text, at);
        const holds = {
          start: at === 0,
          end: at === text.length,
          lineStart: at === 0 || text[at - 1] === '\n',
          lineEnd: at === text.length || text[at] === '\n',
          word: boundary,
          noWord: !boundary,
        }[of.at];
        return holds ? then(at) : -1;
      }
      case 'sequence': {
        const from = (index: number, place: number): number => {
          const part = of.parts[index];
          return part === undefined ? then(place) : match(part, place, (end) => from(index + 1, end));
        };
        return from(0, at);
      }
      case 'choice':
        for (const option of of.options) {
          const end = match(option, at, then);
          if (end !== -1) return end;
        }
        return -1;
      case 'repeat':
        return of.of.kind === 'set' ? repeatSet(of, of.of.ranges, at, then) : repeat(of, 0, at, then);
    }
  };

  type Repeat = Node & { kind: 'repeat' };

  /** Without recursion, for long runs. */
  const repeatSet = (
    { least, most, lazy }: Repeat,
    ranges: Ranges,
    at: number,
    then: (end: number) => number,
  ): number => {
    let count = 0;
    while (count < (lazy ? least : most) && inSet(ranges, at + count)) count += 1;
    for (; count >= least && count <= most; count += lazy ? 1 : -1) {
      const end = then(at + count);
      if (end !== -1) return end;
      if (lazy && !inSet(ranges, at + count)) return -1;
    }
    return -1;
  };

  const repeat = (of: Repeat, count: number, at: number, then: (end: number) => number): number => {
    const more = () =>
      count === of.most ? -1 : match(of.of, at, (end) => (end === at ? -1 : repeat(of, count + 1, end, then)));
    if (count < of.least) return more();
    const first = of.lazy ? then(at) : more();
    if (first !== -1) return first;
    return of.lazy ? more() : then(at);
  };

  for (let start = 0; start <= text.length; ) {
    const end = match(node, start, (place) => place);
    start = Math.max(start + 1, end);
  }
  return steps;
}
