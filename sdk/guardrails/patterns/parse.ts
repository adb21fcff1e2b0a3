import { escapeNode, pointNode, readClass } from './classes.ts';
import { complement, everything, lineEnds } from './code-points.ts';
import { type Cursor, cursorOf } from './cursor.ts';
import { readEscape } from './escapes.ts';
import type { Node, Parsed } from './node.ts';

/** `i`, `m` and `s`, as they stand at one place of the pattern. */
interface Flags {
  readonly fold: boolean;
  readonly lines: boolean;
  readonly dotAll: boolean;
}

interface Reading {
  readonly cursor: Cursor;
  readonly captures: (string | undefined)[];
}

const maxDepth = 100;
const maxRepeat = 1000;
/** What `\b` is in JSON with a single backslash: no text has one, so that the pattern would never match. */
const backspace =
  'a backspace stands in it, as \\b with a single backslash is in JSON; write \\\\b for the border of a word, or \\\\x08';
const lookAround = 'look-around is not accepted, since it needs more than linear time';

/**
 * Reads ECMAScript syntax without look-around and back-references, with the inline flags and `\A`, `\z`, `(?P<name>` of
 * RE2. Lines end at line feeds.
 * @throws GatewayError `invalid_config` with the reason and the place
 */
export function parsePattern(source: string, flags: string, param: string): Parsed {
  const reading: Reading = { cursor: cursorOf(source, param), captures: [] };
  const given = { fold: flags.includes('i'), lines: flags.includes('m'), dotAll: flags.includes('s') };
  const node = readChoice(reading, given, 0);
  if (!reading.cursor.done) throw reading.cursor.fault('a parenthesis is closed that was not opened');
  return { node, captures: reading.captures };
}

/** Up to the end, or a closing parenthesis. */
function readChoice(reading: Reading, flags: Flags, depth: number): Node {
  const { cursor } = reading;
  if (depth > maxDepth) throw cursor.fault(`groups stand in each other ${maxDepth} deep at most`);
  let current = flags;
  let parts: Node[] = [];
  const options: Node[] = [];
  while (!cursor.done && !cursor.sees(')')) {
    const switched = cursor.sees('(?') ? readSwitch(cursor, current) : undefined;
    if (switched !== undefined) current = switched;
    else if (cursor.takes('|')) {
      options.push(sequence(parts));
      parts = [];
    } else parts.push(readRepeats(reading, readAtom(reading, current, depth)));
  }
  options.push(sequence(parts));
  return options.length === 1 ? sequence(parts) : { kind: 'choice', options };
}

function sequence(parts: readonly Node[]): Node {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : { kind: 'sequence', parts };
}

function readAtom(reading: Reading, flags: Flags, depth: number): Node {
  const { cursor } = reading;
  if (cursor.takes('(')) return readGroup(reading, flags, depth);
  if (cursor.takes('[')) return readClass(cursor, flags.fold);
  if (cursor.takes('.')) return { kind: 'set', ranges: flags.dotAll ? everything : complement(lineEnds) };
  if (cursor.takes('^')) return { kind: 'assertion', at: flags.lines ? 'lineStart' : 'start' };
  if (cursor.takes('$')) return { kind: 'assertion', at: flags.lines ? 'lineEnd' : 'end' };
  if (cursor.takes('\\A')) return { kind: 'assertion', at: 'start' };
  if (cursor.takes('\\z')) return { kind: 'assertion', at: 'end' };
  if (cursor.takes('\\b')) return { kind: 'assertion', at: 'word' };
  if (cursor.takes('\\B')) return { kind: 'assertion', at: 'noWord' };
  if (cursor.sees('\b')) throw cursor.fault(backspace);
  if (cursor.takes('\\')) return escapeNode(readEscape(cursor), flags.fold);
  if (/^[*+?]$/.test(cursor.next) || countAt(cursor) !== undefined) throw cursor.fault('there is nothing to repeat');
  return pointNode(cursor.take().codePointAt(0) ?? 0, flags.fold);
}

const groupFlags = /\?([ims]*)(?:-([ims]+))?:/y;
const groupName = /\?P?<([A-Za-z_$][A-Za-z0-9_$]{0,63})>/y;

/** Reads a group behind its opening parenthesis. */
function readGroup(reading: Reading, flags: Flags, depth: number): Node {
  const { cursor, captures } = reading;
  if (['?=', '?!', '?<=', '?<!'].some((start) => cursor.sees(start))) throw cursor.fault(lookAround);
  const set = cursor.takeMatch(groupFlags);
  const name = set === undefined ? cursor.takeMatch(groupName)?.[1] : undefined;
  if (set === undefined && name === undefined && cursor.sees('?'))
    throw cursor.fault('a group begins with (, (?:, (?<name> or with the flags i, m, s');
  if (name !== undefined && captures.includes(name)) throw cursor.fault(`two groups have the name ${name}`);
  if (set === undefined) captures.push(name);
  const inner = set === undefined ? flags : switchedFlags(flags, set[1] ?? '', set[2] ?? '');
  const of = readChoice(reading, inner, depth + 1);
  if (!cursor.takes(')')) throw cursor.fault('a group is not closed');
  return set === undefined ? { kind: 'capture', of } : of;
}

/** Flags for the rest of the group: `(?i)`. */
function readSwitch(cursor: Cursor, flags: Flags): Flags | undefined {
  const set = cursor.takeMatch(/\(\?([ims]*)(?:-([ims]+))?\)/y);
  return set === undefined ? undefined : switchedFlags(flags, set[1] ?? '', set[2] ?? '');
}

function switchedFlags(flags: Flags, on: string, off: string): Flags {
  const flag = (letter: string, before: boolean) => (before || on.includes(letter)) && !off.includes(letter);
  return { fold: flag('i', flags.fold), lines: flag('m', flags.lines), dotAll: flag('s', flags.dotAll) };
}

function readRepeats({ cursor }: Reading, of: Node): Node {
  const count = countAt(cursor);
  if (count === undefined) return of;
  if (of.kind === 'assertion') throw cursor.fault('there is nothing to repeat');
  const [least, most] = count;
  cursor.takeMatch(/[*+?]|\{[^}]*\}/y);
  const lazy = cursor.takes('?');
  if (least > most) throw cursor.fault('the counts of a repeat are out of order');
  if (Math.max(least, most === Number.POSITIVE_INFINITY ? 0 : most) > maxRepeat)
    throw cursor.fault(`a repeat counts to ${maxRepeat} at most`);
  if (countAt(cursor) !== undefined) throw cursor.fault('a repeat follows a repeat; put the first one into a group');
  return { kind: 'repeat', of, least, most, lazy };
}

const signs: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
};

/** The counts of the repeat that stands here; a brace that begins none is a character like all others. */
function countAt(cursor: Cursor): readonly [number, number] | undefined {
  const sign = signs[cursor.next];
  if (sign !== undefined) return sign;
  const braces = cursor.peekMatch(/\{(\d{1,9})(,(\d{0,9}))?\}/y);
  if (braces === undefined) return undefined;
  const least = Number(braces[1]);
  return [least, braces[2] === undefined ? least : braces[3] ? Number(braces[3]) : Number.POSITIVE_INFINITY];
}
