import type { Ranges } from './code-points.ts';
import type { Assertion, Node } from './node.ts';

interface Syntax {
  readonly point: (code: number) => string;
  readonly empty: string;
  readonly assertions: Readonly<Record<Assertion, string>>;
}

const native: Syntax = {
  point: (code) => `\\u{${code.toString(16)}}`,
  empty: '[]',
  assertions: {
    start: '^',
    end: '$',
    lineStart: '(?:^|(?<=\\n))',
    lineEnd: '(?:$|(?=\\n))',
    word: '\\b',
    noWord: '\\B',
  },
};

const re2: Syntax = {
  point: (code) => `\\x{${code.toString(16)}}`,
  empty: '[^\\x{0}-\\x{10ffff}]',
  assertions: { start: '\\A', end: '\\z', lineStart: '(?m:^)', lineEnd: '(?m:$)', word: '\\b', noWord: '\\B' },
};

/** The pattern for a `RegExp` with the flag `u`. Give it no opaque nodes. */
export function nativeSource(node: Node): string {
  return written(node, native);
}

export function re2Source(node: Node): string {
  return written(node, re2);
}

function written(node: Node, syntax: Syntax): string {
  switch (node.kind) {
    case 'set':
      return setText(node.ranges, syntax);
    case 'opaque':
      return node.re2;
    case 'assertion':
      return syntax.assertions[node.at];
    case 'sequence':
      return node.parts.map((part) => written(part, syntax)).join('');
    case 'choice':
      return `(?:${node.options.map((option) => written(option, syntax)).join('|')})`;
    case 'capture':
      return `(${written(node.of, syntax)})`;
    case 'repeat': {
      const body = written(node.of, syntax);
      const single = node.of.kind === 'set' || node.of.kind === 'opaque';
      return `${single ? body : `(?:${body})`}${countText(node.least, node.most)}${node.lazy ? '?' : ''}`;
    }
  }
}

function setText(ranges: Ranges, { point, empty }: Syntax): string {
  const [first, ...others] = ranges;
  if (first === undefined) return empty;
  const pair = ([from, to]: readonly [number, number]) => (from === to ? point(from) : `${point(from)}-${point(to)}`);
  if (others.length === 0 && first[0] === first[1]) return point(first[0]);
  return `[${ranges.map(pair).join('')}]`;
}

function countText(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`;
  if (least === 0 && most === 1) return '?';
  return least === most ? `{${least}}` : `{${least},${most}}`;
}
