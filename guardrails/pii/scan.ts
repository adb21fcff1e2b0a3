import type { Category, Found } from './categories.ts';
import { kind, kindOf } from './characters.ts';
import { findNumbers } from './numbers/find.ts';
import { merged } from './overlap.ts';
import { findAssignment } from './secrets/assignment.ts';
import { pemFinder } from './secrets/pem.ts';
import { findToken, shortestToken } from './secrets/token.ts';
import { findEmail } from './words/email.ts';
import { findIpv6 } from './words/ipv6.ts';
import { findUrlCredentials } from './words/url-credentials.ts';

/**
 * The findings of a text, in order, none over another. The text is read once; detectors look around where a digit, a
 * colon, an equals sign, an @ or the end of a long token calls for one, each within bounds or over a stretch that no
 * other call reads again: the time grows with the length of the text and nothing else.
 */
export function scan(text: string, wanted: ReadonlySet<Category>, allow: ReadonlySet<string>): readonly Found[] {
  const found: Found[] = [];
  const report = (category: Category, start: number, end: number) => {
    if (!wanted.has(category)) return false;
    if (allow.size > 0 && allow.has(text.slice(start, end))) return true;
    found.push({ category, start, end });
    return true;
  };
  const pem = pemFinder(text);
  // Up to where earlier calls have read already.
  let [numbersTo, colonsTo, credentialsTo] = [0, 0, 0];
  let token = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const what = kindOf(text.charCodeAt(at));
    if (what === kind.inside) continue;
    if (what === kind.digit) {
      if (at >= numbersTo) numbersTo = findNumbers(text, at, report);
      continue;
    }
    if (at - token >= shortestToken) findToken(text, token, at, pem, report);
    token = at + 1;
    if (what === kind.other || at < credentialsTo) continue;
    if (what === kind.at) findEmail(text, at, report);
    else if (what === kind.colon && text.startsWith('//', at + 1))
      credentialsTo = findUrlCredentials(text, at + 3, report);
    else {
      if (what === kind.colon && at >= colonsTo) colonsTo = findIpv6(text, at, report);
      findAssignment(text, at, report);
    }
  }
  return found.length < 2 ? found : merged(found);
}
