import type { Report } from '../categories.ts';
import { isNamedBefore } from '../characters.ts';
import type { Groups } from './groups.ts';

/** What has numbers of four parts too: versions, and places in a text. */
const numbered =
  /(?:(?:version|\bver|\bv|\brelease|\bsection|\bchapter|\bclause)s?\.?["'`]?(?: is)? ?[:=(>]? ?["'`]?|§ ?)$/i;
/** The product tokens of RFC 9110 §10.1.5, as browsers write them: `Chrome/120.0.0.0`. */
const product = /(?:^|[\s"'`(;,])[A-Z][A-Za-z]*\/$/;

/** Addresses in dotted form, among groups: not a part of longer dotted numbers, such as versions of five parts. */
export function findIpv4({ text, starts, ends, separators }: Groups, report: Report): void {
  for (let first = separators.indexOf('...'); first !== -1; first = separators.indexOf('...', first + 1)) {
    const start = starts[first] ?? 0;
    const end = ends[first + 3] ?? 0;
    const before = first === 0 ? text.charAt(start - 1) : separators.charAt(first - 1);
    if (before === '.' || separators.charAt(first + 3) === '.') continue;
    if (!isAddress(text.slice(start, end))) continue;
    if (isNamedBefore(text, start, numbered) || isNamedBefore(text, start, product)) continue;
    report('IP_ADDRESS', start, end);
  }
}

function isAddress(text: string): boolean {
  if (text.length > 15) return false;
  return text.split('.').every((part) => Number(part) < 256 && (part.length === 1 || !part.startsWith('0')));
}
