import type { Category, Found } from './categories.ts';
import { digitsEnd, isInside, kind, kindOf } from './characters.ts';
import { findCutOff } from './cut-off.ts';
import { findNumbers } from './numbers/find.ts';
import { merged } from './overlap.ts';
import { findAssignment } from './secrets/assignment.ts';
import { pemFinder } from './secrets/pem.ts';
import { findToken, shortestToken, tokenBeginnings } from './secrets/token.ts';
import { findEmail } from './words/email.ts';
import { findIpv6 } from './words/ipv6.ts';
import { findUrlCredentials } from './words/url-credentials.ts';

/**
 * Where something may stand. The engine looks for a set as small as this at many places at once, and for few beginnings ten times
 * as fast as for all; the others hold a `-` or `_`, and are found by that.
 */
const marks = /[0-9:=@_-]/g;
const beginnings = new RegExp(tokenBeginnings.filter((beginning) => !/[_-]/.test(beginning)).join('|'), 'g');

/** The first place from `from` on that a pattern fits; behind all places where there is none. */
function nextOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : Number.POSITIVE_INFINITY;
}

/** The run of letters, digits, `_` and `-` around a place, no further back than `from`. */
function runAround(text: string, at: number, from: number): readonly [start: number, end: number] {
  let [start, end] = [at, at];
  while (start > from && isInside(text.charCodeAt(start - 1))) start -= 1;
  while (isInside(text.charCodeAt(end))) end += 1;
  return [start, end];
}

/**
 * The findings of a text, in order, none over another. The text is read once; detectors look around where a digit, a
 * colon, an equals sign, an @ or the beginning of an issued key calls for one, each within bounds or over a stretch that no
 * other call reads again: the time grows with the length of the text and nothing else.
 * @param goesOn more of the text may come: what begins as a value at its end is one
 */
export function scan(
  text: string,
  wanted: ReadonlySet<Category>,
  allow: ReadonlySet<string>,
  goesOn: boolean = false,
): readonly Found[] {
  const found: Found[] = [];
  const report = (category: Category, start: number, end: number) => {
    if (!wanted.has(category)) return false;
    if (allow.size > 0 && allow.has(text.slice(start, end))) return true;
    found.push({ category, start, end });
    return true;
  };
  const pem = pemFinder(text);
  // Up to where earlier calls have read already.
  let [numbersTo, tokensTo, colonsTo, credentialsTo] = [0, 0, 0, 0];
  const tokenAround = (at: number) => {
    if (at < tokensTo) return;
    const [start, end] = runAround(text, at, tokensTo);
    tokensTo = end;
    if (end - start >= shortestToken) findToken(text, start, end, pem, report);
  };
  let mark = nextOf(marks, text, 0);
  let beginning = nextOf(beginnings, text, 0);
  for (let at = Math.min(mark, beginning); at < text.length; at = Math.min(mark, beginning)) {
    let next = at + 1;
    const what = kindOf(text.charCodeAt(at));
    if (what === kind.digit) {
      if (at >= numbersTo) numbersTo = findNumbers(text, at, report);
      next = Math.max(next, Math.min(numbersTo, digitsEnd(text, at)));
    }
    if (what === kind.digit || what === kind.inside) tokenAround(at);
    else if (at >= credentialsTo) {
      if (what === kind.at) findEmail(text, at, report);
      else if (what === kind.colon && text.startsWith('//', at + 1))
        credentialsTo = findUrlCredentials(text, at + 3, report);
      else {
        if (what === kind.colon && at >= colonsTo) colonsTo = findIpv6(text, at, report);
        findAssignment(text, at, report);
      }
    }
    if (mark < next) mark = nextOf(marks, text, next);
    if (beginning < next) beginning = nextOf(beginnings, text, next);
  }
  if (goesOn) findCutOff(text, report);
  return found.length < 2 ? found : merged(found);
}
