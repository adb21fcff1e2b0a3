import { isIPv6 } from 'node:net';
import type { Report } from '../categories.ts';
import { isDigit, isWord } from '../characters.ts';

const longest = 45;

/**
 * An IPv6 address around its first colon.
 * @returns up to where the run of hex digits and colons goes
 */
export function findIpv6(text: string, at: number, report: Report): number {
  const next = text.charCodeAt(at + 1);
  if (next !== 58 && !isHex(next)) return at + 1;
  let start = at;
  while (start > 0 && at - start < 5 && isHex(text.charCodeAt(start - 1))) start -= 1;
  let end = at;
  while (end < text.length && isPart(text.charCodeAt(end))) end += 1;
  const to = end;
  while (end > at && '.:'.includes(text.charAt(end - 1)) && !(text.endsWith('::', end) && end === to)) end -= 1;
  if (at - start > 4 || end - start > longest || isWord(text.charCodeAt(start - 1)) || isWord(text.charCodeAt(end)))
    return to;
  const candidate = text.slice(start, end);
  if (isIPv6(candidate) && isTelling(candidate)) report('IP_ADDRESS', start, end);
  return to;
}

/** `::`, `::1` and the slices of a program, such as `1::2`, point to nobody. */
function isTelling(address: string): boolean {
  const groups = address.split(':').filter((group) => group !== '');
  return groups.length > 2 || groups.some((group) => group.length > 2);
}

function isPart(code: number): boolean {
  return code === 58 || code === 46 || isHex(code);
}

function isHex(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}
