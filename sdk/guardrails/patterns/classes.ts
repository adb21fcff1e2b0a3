import { complement, foldAscii, isAscii, type Ranges, union } from './code-points.ts';
import type { Cursor } from './cursor.ts';
import { type Escape, readEscape } from './escapes.ts';
import type { Node } from './node.ts';

interface Members {
  /** What is written out: the only members that fold. */
  readonly written: Ranges;
  readonly named: Ranges;
  readonly properties: readonly string[];
}

/** One code point as it is written. */
export function pointNode(code: number, fold: boolean): Node {
  return classNode({ written: [[code, code]], named: [], properties: [] }, false, fold);
}

export function escapeNode(read: Escape, fold: boolean): Node {
  if (read.kind === 'point') return pointNode(read.code, fold);
  if (read.kind === 'property') return { kind: 'opaque', re2: read.re2 };
  return { kind: 'set', ranges: read.ranges };
}

/** Reads a class behind its opening bracket. */
export function readClass(cursor: Cursor, fold: boolean): Node {
  const negated = cursor.takes('^');
  if (cursor.sees(']'))
    throw cursor.fault('an empty class is not accepted; write [\\s\\S] for any character, [\\]] for a bracket');
  const written: [number, number][] = [];
  const named: Ranges[] = [];
  const properties: string[] = [];
  while (!cursor.takes(']')) {
    const first = readMember(cursor);
    const isRange = cursor.sees('-') && !cursor.sees('-]');
    if (first.kind === 'point' && isRange) {
      cursor.take();
      const last = readMember(cursor);
      if (last.kind !== 'point') throw cursor.fault('a range in a class goes from one character to another');
      if (last.code < first.code) throw cursor.fault('a range in a class is out of order');
      written.push([first.code, last.code]);
    } else if (first.kind === 'point') written.push([first.code, first.code]);
    else if (first.kind === 'ranges') named.push(first.ranges);
    else properties.push(first.re2);
  }
  return classNode({ written: union(written), named: union(...named), properties }, negated, fold);
}

function readMember(cursor: Cursor): Escape {
  if (cursor.done) throw cursor.fault('a class is not closed');
  if (cursor.sees('[:')) throw cursor.fault('named classes such as [:alpha:] are not accepted; write a-zA-Z');
  if (cursor.takes('\\b')) return { kind: 'point', code: 0x08 };
  if (cursor.takes('\\-')) return { kind: 'point', code: 0x2d };
  if (cursor.takes('\\')) return readEscape(cursor);
  return { kind: 'point', code: cursor.take().codePointAt(0) ?? 0 };
}

function classNode({ written, named, properties }: Members, negated: boolean, fold: boolean): Node {
  const foldsHere = fold && isAscii(written);
  const ranges = union(foldsHere ? foldAscii(written) : written, named);
  if (properties.length === 0 && (!fold || foldsHere))
    return { kind: 'set', ranges: negated ? complement(ranges) : ranges };
  const point = (code: number) => `\\x{${code.toString(16)}}`;
  const text = ranges.map(([from, to]) => `${point(from)}-${point(to)}`).join('') + properties.join('');
  const whole = `[${negated ? '^' : ''}${text}]`;
  return { kind: 'opaque', re2: fold && !foldsHere ? `(?i:${whole})` : whole };
}
