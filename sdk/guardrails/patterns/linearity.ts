import { disjoint, everything, type Ranges, union, within, wordCharacters } from './code-points.ts';
import type { Node } from './node.ts';

/** Steps that a backtracking engine may need at one place of the text, loops aside. */
const maxSteps = 256;
/** A repetition of one set whose counts lie further apart is judged as a loop. */
const maxSpread = 8;

/** What may stand before a place on the way of a match; `boundary`: a word begins or ends there; undefined: anything. */
type Before = Ranges | 'boundary' | undefined;

/**
 * Whether a backtracking engine needs only linear time, whatever the text. Conservative: outside of loops the work at each
 * place is small, and a loop is over one set and either ends the match for certain, or begins only where a run of its set
 * begins. From the place behind a loop its run is known, and so, but for a bounded number of ways, is the whole way back to
 * the start of the match: each run is walked a bounded number of times.
 */
export function isLinear(node: Node): boolean {
  // What matches the empty text, V8 finds between the halves of a surrogate pair too.
  if (isNullable(node) || !isPlain(node, false)) return false;
  return effort(node, !hasLoop(node)).steps <= maxSteps && loopsAreSafe(node, undefined, true);
}

/** Instructions of the compiled pattern, roughly. */
export function programSize(node: Node): number {
  switch (node.kind) {
    case 'set':
      return Math.ceil(node.ranges.length / 4);
    case 'opaque':
    case 'assertion':
      return 1;
    case 'sequence':
      return sum(node.parts.map(programSize));
    case 'choice':
      return sum(node.options.map(programSize)) + node.options.length;
    case 'capture':
      return programSize(node.of) + 2;
    case 'repeat':
      return (programSize(node.of) + 1) * Math.max(1, node.most === Number.POSITIVE_INFINITY ? node.least : node.most);
  }
}

/** Both engines give the same groups: none is captured in a repetition, and nothing empty is repeated. */
function isPlain(node: Node, repeated: boolean): boolean {
  switch (node.kind) {
    case 'set':
    case 'assertion':
      return true;
    case 'opaque':
      return false;
    case 'sequence':
      return node.parts.every((part) => isPlain(part, repeated));
    case 'choice':
      return node.options.every((option) => isPlain(option, repeated));
    case 'capture':
      return !repeated && isPlain(node.of, repeated);
    case 'repeat':
      return !isNullable(node.of) && isPlain(node.of, repeated || node.most > 1);
  }
}

interface Effort {
  readonly steps: number;
  /** In how many ways it can match at one place. */
  readonly ways: number;
}

/**
 * @param exact leaves out ways that end at their next character. Not for patterns with loops, where the ways stand for the
 * starts too from which a run can be reached
 */
function effort(node: Node, exact: boolean): Effort {
  switch (node.kind) {
    case 'set':
    case 'opaque':
    case 'assertion':
      return { steps: 1, ways: 1 };
    case 'sequence':
      return node.parts
        .map((part, index) => {
          const { steps, ways } = effort(part, exact);
          return exact && goesOnOneWay(part, node.parts.slice(index + 1))
            ? { steps: steps + ways, ways: 1 }
            : { steps, ways };
        })
        .reduce(followed, { steps: 0, ways: 1 });
    case 'choice': {
      const options = node.options.map((option) => effort(option, exact));
      const steps = options.map((option) => option.steps);
      const ways = options.map((option) => option.ways);
      return exact && areApart(node.options)
        ? { steps: Math.max(...steps) + options.length, ways: Math.max(...ways) }
        : { steps: sum(steps), ways: sum(ways) };
    }
    case 'capture':
      return effort(node.of, exact);
    case 'repeat':
      if (isLoop(node)) return { steps: node.least + 1, ways: 1 };
      return repeatedEffort(effort(node.of, exact), node.least, node.most);
  }
}

/** Of the counts of a repeated set, only the highest leads to what must follow. */
function goesOnOneWay(part: Node, rest: readonly Node[]): boolean {
  if (part.kind !== 'repeat' || part.of.kind !== 'set' || rest.every(isNullable)) return false;
  return disjoint(part.of.ranges, edgeOf({ kind: 'sequence', parts: rest }, 'first'));
}

/** No character begins two of the options. */
function areApart(options: readonly Node[]): boolean {
  let seen: Ranges = [];
  return options.every((option) => {
    const first = edgeOf(option, 'first');
    const apart = !isNullable(option) && disjoint(first, seen);
    seen = union(seen, first);
    return apart;
  });
}

function followed(first: Effort, second: Effort): Effort {
  return { steps: first.steps + first.ways * second.steps, ways: first.ways * second.ways };
}

function repeatedEffort(one: Effort, least: number, most: number): Effort {
  if (most === Number.POSITIVE_INFINITY) return { steps: most, ways: most };
  let all: Effort = { steps: 0, ways: 1 };
  let ways = least === 0 ? 1 : 0;
  for (let count = 1; count <= most && all.steps <= maxSteps; count += 1) {
    all = followed(all, one);
    if (count >= least) ways += all.ways;
  }
  return { steps: all.steps, ways };
}

function isLoop(node: Node): node is Node & { kind: 'repeat' } {
  return node.kind === 'repeat' && node.of.kind === 'set' && node.most - node.least > maxSpread;
}

function hasLoop(node: Node): boolean {
  switch (node.kind) {
    case 'set':
    case 'opaque':
    case 'assertion':
      return false;
    case 'sequence':
      return node.parts.some(hasLoop);
    case 'choice':
      return node.options.some(hasLoop);
    case 'capture':
      return hasLoop(node.of);
    case 'repeat':
      return isLoop(node) || hasLoop(node.of);
  }
}

/** @param succeeds whether the match succeeds behind the node, whatever comes */
function loopsAreSafe(node: Node, before: Before, succeeds: boolean): boolean {
  switch (node.kind) {
    case 'set':
    case 'opaque':
    case 'assertion':
      return true;
    case 'capture':
      return loopsAreSafe(node.of, before, succeeds);
    case 'choice':
      return node.options.every((option) => loopsAreSafe(option, before, succeeds));
    case 'repeat':
      return isLoop(node) ? succeeds || beginsRun(lastOf(node), before) : !hasLoop(node.of);
    case 'sequence': {
      const solid = node.parts.findLastIndex((part) => !isSkippable(part));
      let ahead = before;
      return node.parts.every((part, index) => {
        const safe = loopsAreSafe(part, ahead, succeeds && index >= solid);
        ahead = beyond(ahead, part);
        return safe;
      });
    }
  }
}

function beginsRun(set: Ranges, before: Before): boolean {
  if (before === undefined) return false;
  return before === 'boundary' ? within(set, wordCharacters) : disjoint(before, set);
}

/** What stands before the place behind the part. */
function beyond(before: Before, part: Node): Before {
  if (part.kind === 'assertion') {
    if (part.at === 'start') return [];
    if (part.at === 'lineStart') return [[0x0a, 0x0a]];
    return part.at === 'word' ? 'boundary' : before;
  }
  if (!isNullable(part)) return lastOf(part);
  return before === undefined || before === 'boundary' ? undefined : union(before, lastOf(part));
}

function isNullable(node: Node): boolean {
  switch (node.kind) {
    case 'set':
    case 'opaque':
      return false;
    case 'assertion':
      return true;
    case 'sequence':
      return node.parts.every(isNullable);
    case 'choice':
      return node.options.some(isNullable);
    case 'capture':
      return isNullable(node.of);
    case 'repeat':
      return node.least === 0 || isNullable(node.of);
  }
}

/** Matches the empty text at any place. */
function isSkippable(node: Node): boolean {
  if (node.kind === 'repeat') return node.least === 0;
  if (node.kind === 'capture') return isSkippable(node.of);
  if (node.kind === 'sequence') return node.parts.every(isSkippable);
  return node.kind === 'choice' && node.options.some(isSkippable);
}

const lastOf = (node: Node) => edgeOf(node, 'last');

/** The code points with which what the node matches may begin or end. */
function edgeOf(node: Node, edge: 'first' | 'last'): Ranges {
  switch (node.kind) {
    case 'set':
      return node.ranges;
    case 'opaque':
      return everything;
    case 'assertion':
      return [];
    case 'capture':
    case 'repeat':
      return edgeOf(node.of, edge);
    case 'choice':
      return union(...node.options.map((option) => edgeOf(option, edge)));
    case 'sequence': {
      const parts = edge === 'first' ? node.parts : node.parts.toReversed();
      const solid = parts.findIndex((part) => !isNullable(part));
      return union(...parts.slice(0, solid === -1 ? parts.length : solid + 1).map((part) => edgeOf(part, edge)));
    }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
