import type { Report } from '../categories.ts';

const longest = 1024;

/**
 * The `user:password` of a URL whose authority begins at `start` (RFC 3986 §3.2).
 * @returns up to where the rest of the scan has nothing to look for
 */
export function findUrlCredentials(text: string, start: number, report: Report): number {
  let colon = -1;
  let at = -1;
  for (let index = start; index < text.length && index - start < longest; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 32 || endsAuthority.has(code)) break;
    if (code === 64) at = index;
    else if (code === 58 && colon === -1) colon = index;
  }
  const complete = colon > -1 && at > colon + 1;
  return complete && report('URL_CREDENTIALS', start, at) ? at + 1 : start;
}

const endsAuthority: ReadonlySet<number> = new Set(Array.from('/?#"<>`\\', (mark) => mark.charCodeAt(0)));
