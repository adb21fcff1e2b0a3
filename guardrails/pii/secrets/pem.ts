const header = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const footer = '-----END';
const longest = 16_384;

/** The end of the private key that begins at a place; undefined when none does. */
export type FindPem = (start: number, tokenEnd: number) => number | undefined;

/** Private keys in PEM (RFC 7468) of one text. Where the footer is looked for is remembered, or many headers would be slow. */
export function pemFinder(text: string): FindPem {
  let footerAt = -2;
  return (start, tokenEnd) => {
    if (!text.startsWith('-----BEGIN', start) || text.charAt(tokenEnd) !== ' ') return undefined;
    header.lastIndex = start;
    if (!header.test(text)) return undefined;
    const bodyStart = header.lastIndex;
    if (footerAt !== -1 && footerAt < bodyStart) footerAt = text.indexOf(footer, bodyStart);
    if (footerAt !== -1 && footerAt - bodyStart <= longest) return footerEnd(text, footerAt);
    return cutOffEnd(text, bodyStart);
  };
}

function footerEnd(text: string, at: number): number {
  const close = text.indexOf('-----', at + footer.length);
  return close !== -1 && close - at < 80 ? close + 5 : at + footer.length;
}

/** What may stand before the body, such as `Proc-Type: 4,ENCRYPTED`; the last of them may be cut off. */
const headerLines = /(?:(?:\r?\n|\\r|\\n){1,4}[A-Z][A-Za-z-]{1,40}(?::[^\r\n\\]{0,200}|$)){1,20}/y;

/** A key whose end is missing is one all the same. */
function cutOffEnd(text: string, from: number): number {
  headerLines.lastIndex = from;
  let end = headerLines.test(text) ? headerLines.lastIndex : from;
  while (end < text.length && end - from < longest && /[A-Za-z0-9+/=\r\n\\]/.test(text.charAt(end))) end += 1;
  return end;
}
