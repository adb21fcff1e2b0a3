import type { Report } from '../categories.ts';
import { digitsEnd, isDigit, isNamedBefore, isWord } from '../characters.ts';
import { findNifLetter } from '../words/es-nif.ts';
import { findNino } from '../words/uk-nino.ts';
import { digitsOf, type Groups, goesOn, groupsFrom } from './groups.ts';
import { findIpv4 } from './ipv4.ts';
import { phoneEnd } from './phone-number.ts';
import { mostGroups, type NumberRule, rulesOf, shapeWith } from './rules.ts';

const fewestDigits = 7;
const fewestAlone = 6;

/** Looks at every group of a chain as a beginning, the longest form first. Forms have few groups, so the time stays linear. */
export function findInChain(text: string, from: number, report: Report): number {
  const end = digitsEnd(text, from);
  // Most numbers are small and stand alone.
  if (end - from < fewestAlone && !goesOn(text, end)) return end;
  const groups = groupsFrom(text, from);
  const { starts, ends, separators } = groups;
  const count = starts.length;
  const last = ends[count - 1] ?? from;
  if (count > 3) findIpv4(groups, report);
  if (last - from < fewestDigits) {
    findNino(groups, report);
    return last;
  }
  let first = 0;
  while (first < count) {
    // In the middle only behind a space: `0.4111…` is one number.
    const begins = first === 0 ? !isTail(text, from) : separators.charAt(first - 1) === ' ';
    const end = begins ? matchEnd(groups, first, report) : undefined;
    first = (end ?? first) + 1;
  }
  findNino(groups, report);
  if (count === 1) findNifLetter(text, from, last, report);
  return last;
}

/** The last group of what begins with this one. */
function matchEnd(groups: Groups, first: number, report: Report): number | undefined {
  const { text, starts, ends } = groups;
  const isDialled = text.charAt((starts[first] ?? 0) - 1) === '+';
  const formed = isDialled ? undefined : longestMatch(groups, first, report);
  if (formed !== undefined) return formed;
  const end = phoneEnd(groups, first);
  if (end === undefined) return undefined;
  report('PHONE_NUMBER', startOf(groups, first), ends[end] ?? 0);
  return end;
}

function longestMatch(groups: Groups, first: number, report: Report): number | undefined {
  const past = Math.min(groups.starts.length, first + mostGroups);
  const known: { readonly last: number; readonly rules: readonly NumberRule[] }[] = [];
  for (let last = first, shape = 0; last < past; last += 1) {
    shape = shapeWith(shape, (groups.ends[last] ?? 0) - (groups.starts[last] ?? 0));
    const rules = rulesOf(shape);
    if (rules !== undefined) known.push({ last, rules });
  }
  return known.findLast(({ last, rules }) => matches(groups, first, last, rules, report))?.last;
}

function matches(groups: Groups, first: number, last: number, rules: readonly NumberRule[], report: Report): boolean {
  const { text, starts, ends, separators } = groups;
  if (!isOver(groups, last)) return false;
  const start = starts[first] ?? 0;
  let found = false;
  let digits: string | undefined;
  for (const { category, separated, named, valid } of rules) {
    if (!separated.has(separators.slice(first, last))) continue;
    digits ??= digitsOf(groups, first, last);
    if (!valid(digits) || (named !== undefined && !isNamedBefore(text, start, named))) continue;
    report(category, start, ends[last] ?? 0);
    found = true;
  }
  return found;
}

/** Whether the number ends with this group: more digits behind a mark other than a space would belong to it. */
function isOver({ text, ends, separators }: Groups, last: number): boolean {
  if (last < ends.length - 1) return separators.charAt(last) === ' ';
  const end = ends[last] ?? 0;
  return !('.-/'.includes(text.charAt(end) || ' ') && isDigit(text.charCodeAt(end + 1)));
}

/** Whether the chain goes on with a word that ended in a digit: `a716-446655440000`. */
function isTail(text: string, from: number): boolean {
  return (
    '.-/'.includes(text.charAt(from - 1) || ' ') &&
    isDigit(text.charCodeAt(from - 2)) &&
    isWord(text.charCodeAt(from - 2))
  );
}

/** With the plus sign of a telephone number, or the bracket around its area. */
function startOf({ text, starts, separators }: Groups, first: number): number {
  const start = starts[first] ?? 0;
  const opened = text.charAt(start - 1) === '(' && separators.charAt(first) === '(';
  return opened || text.charAt(start - 1) === '+' ? start - 1 : start;
}
