import type { Report } from '../categories.ts';
import { isWord } from '../characters.ts';

/** RFC 5321 §4.5.3.1. */
const longestLocal = 64;
const longestDomain = 253;
/** A picture for screens of a density: `logo@2x.png`. */
const picture = /^\d(?:\.\d)?x\.(?:avif|gif|heic|jpe?g|png|svg|webp)$/i;

/** An address around an @: a local part, and a domain of at least two labels that ends in letters. */
export function findEmail(text: string, at: number, report: Report): void {
  const start = localStart(text, at);
  if (start === undefined) return;
  const end = domainEnd(text, at + 1);
  if (end !== undefined) report('EMAIL_ADDRESS', start, end);
}

/** Where an address begins whose domain goes on to the end of the text. */
export function cutOffEmail(text: string): number | undefined {
  let at = text.length;
  while (at > 0 && text.length - at < longestDomain && isDomain(text.charCodeAt(at - 1))) at -= 1;
  return text.charAt(at - 1) === '@' && at < text.length ? localStart(text, at - 1) : undefined;
}

/** Undefined: nothing before the @ can be a local part. */
function localStart(text: string, at: number): number | undefined {
  let start = at;
  while (
    start > 0 &&
    at - start < longestLocal &&
    (isLocal(text.charCodeAt(start - 1)) || isWithinName(text, start - 1))
  )
    start -= 1;
  while (start < at && text.charAt(start) === '.') start += 1;
  return start === at || text.charAt(at - 1) === '.' ? undefined : start;
}

function domainEnd(text: string, from: number): number | undefined {
  let end = from;
  while (end < text.length && end - from < longestDomain && isDomain(text.charCodeAt(end))) end += 1;
  // The full stop of a sentence, or a dash behind the address.
  while (end > from && '.-'.includes(text.charAt(end - 1))) end -= 1;
  const domain = text.slice(from, end);
  const dot = domain.lastIndexOf('.');
  const top = domain.slice(dot + 1);
  if (dot < 1 || top.length < 2 || domain.startsWith('-') || domain.includes('..')) return undefined;
  if (picture.test(domain)) return undefined;
  return /\d/.test(top) && !top.startsWith('xn--') ? undefined : end;
}

/** The marks that addresses are made with; the rarer ones of RFC 5322 mostly stand between an address and something else. */
function isLocal(code: number): boolean {
  return isWord(code) || localMarks.has(code) || isSpacedScript(code);
}

/** The apostrophe of `o'brien@`; before or behind a name it is a quotation mark. */
function isWithinName(text: string, at: number): boolean {
  return text.charCodeAt(at) === 39 && isWord(text.charCodeAt(at - 1)) && isWord(text.charCodeAt(at + 1));
}

const localMarks: ReadonlySet<number> = new Set(Array.from('%+-._', (mark) => mark.charCodeAt(0)));

function isDomain(code: number): boolean {
  return isWord(code) || code === 45 || code === 46 || isSpacedScript(code);
}

/** Latin, Greek and Cyrillic letters. Other scripts are written without spaces, so they would take the sentence along. */
function isSpacedScript(code: number): boolean {
  return (code >= 0xc0 && code <= 0x24f && code !== 0xd7 && code !== 0xf7) || (code >= 0x370 && code <= 0x52f);
}
