import type { Report } from '../categories.ts';
import type { Groups } from './groups.ts';

/** Addresses in dotted form, among groups: not a part of longer dotted numbers, such as versions of five parts. */
export function findIpv4({ text, starts, ends, separators }: Groups, report: Report): void {
  for (let first = separators.indexOf('...'); first !== -1; first = separators.indexOf('...', first + 1)) {
    const start = starts[first] ?? 0;
    const end = ends[first + 3] ?? 0;
    const before = first === 0 ? text.charAt(start - 1) : separators.charAt(first - 1);
    if (before === '.' || separators.charAt(first + 3) === '.') continue;
    if (isAddress(text.slice(start, end))) report('IP_ADDRESS', start, end);
  }
}

function isAddress(text: string): boolean {
  if (text.length > 15) return false;
  return text.split('.').every((part) => Number(part) < 256 && (part.length === 1 || !part.startsWith('0')));
}
