import type { Category, Report } from './categories.ts';
import { afterEscape } from './secrets/after-escape.ts';
import { cutOffAfterLead } from './secrets/after-lead.ts';
import { issuedKeys } from './secrets/issued-keys.ts';
import { cutOffJsonWebToken } from './secrets/json-web-token.ts';
import { cutOffEmail } from './words/email.ts';

/** What is shorter waits for its end: so much may be held in any window. */
const shortest = 32;
const longestUrl = 1100;

interface Form {
  readonly category: Category;
  readonly begun: RegExp;
}

/** Words of letters and digits that can be longer than that. */
const words: readonly Form[] = [
  { category: 'CRYPTO_ADDRESS', begun: /^0x[0-9a-fA-F]{30,39}$/ },
  {
    category: 'CRYPTO_ADDRESS',
    begun: /^(?:bc1[02-9ac-hj-np-z]{29,70}|BC1[02-9AC-HJ-NP-Z]{29,70})$/,
  },
  { category: 'CRYPTO_ADDRESS', begun: /^[13](?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[1-9A-HJ-NP-Za-km-z]{31,33}$/ },
  { category: 'IBAN', begun: /^ru\d{2}[a-z0-9]{28}$/i },
];
/** Without `::`, which makes a whole address of any beginning. */
const ipv6 = /^(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{0,4}$/i;
/** What follows a colon is a port where it is a number. */
const authority = /^[^\0- /?#"<>`\\@:[\]]*:(?!\d{0,5}$)[^\0- /?#"<>`\\@]+$/;

/**
 * The value that begins at the end of a text and is cut off there. Of one that has a checksum, what can be told is that
 * nothing else looks like it.
 */
export function findCutOff(text: string, report: Report): void {
  const { length } = text;
  const found = (category: Category, start: number | undefined) => {
    if (start !== undefined && length - start >= shortest) report(category, start, length);
  };
  found('SECRET', cutOffJsonWebToken(text));
  found('SECRET', cutOffKey(text));
  found('SECRET', cutOffAfterLead(text));
  found('EMAIL_ADDRESS', cutOffEmail(text));
  found('URL_CREDENTIALS', cutOffCredentials(text));
  const address = runStart(text, /[0-9a-fA-F:]/);
  if (length - address >= 24 && ipv6.test(text.slice(address))) report('IP_ADDRESS', address, length);
  const start = afterEscape(text, runStart(text, /[0-9A-Za-z]/));
  const word = text.slice(start);
  for (const { category, begun } of words) if (begun.test(word)) report(category, start, length);
}

function cutOffKey(text: string): number | undefined {
  const start = afterEscape(text, runStart(text, /[\w-]/));
  const keys = issuedKeys.get(text.charAt(start)) ?? [];
  const fits = keys.some(
    ({ prefix, begun }) => text.startsWith(prefix, start) && begun.test(text.slice(start + prefix.length)),
  );
  return fits ? start : undefined;
}

function cutOffCredentials(text: string): number | undefined {
  const from = Math.max(0, text.length - longestUrl);
  const scheme = text.slice(from).lastIndexOf('://');
  const start = from + scheme + 3;
  return scheme !== -1 && authority.test(text.slice(start)) ? start : undefined;
}

/** Where the letters begin that the text ends with; no further back than any value is long. */
function runStart(text: string, letter: RegExp): number {
  const least = Math.max(0, text.length - 400);
  let start = text.length;
  while (start > least && letter.test(text.charAt(start - 1))) start -= 1;
  return start;
}
