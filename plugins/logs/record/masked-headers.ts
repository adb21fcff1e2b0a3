import { credentialMask as mask } from 'portcullis/sdk';

/** Names that hold credentials, or parts of one, wherever they stand in the name. */
const sensitive =
  /auth|cookie|key|secret|token|passw|passphrase|pwd|credential|signature|session|jwt|bearer|csrf|xsrf|account-json|private|dpop|(?:^|-)(?:pat|pass|otp|sig|sas|hmac)$/;
/** Names that only look like it: how much is left, and which key an answer belongs to. */
const harmless =
  /ratelimit|idempotency-key|(?:max|limit|used?|left|remaining|total|prompt|completion|input|output)[-_]tokens$/;
/** Credentials that tell what they are, wherever they stand. A value that is JSON can hold one as well. */
const credential =
  /^\s*[{[]|\b(?:bearer|basic)\s+\S|\beyJ[\w-]{16}|\b[spr]k[-_][\w-]{12,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bgh[a-z]_\w{20,}|\bAIza[\w-]{20,}|\bxox[a-z]-\w|\bglpat-\w|-----BEGIN|:\/\/[^\s/@:]+:[^\s/@]+@/i;
/** What follows the scheme of a URL, up to its end; or a value that is a path. */
const address = /(?::\/\/|^\/)[^\s<>"]*/g;

const mostNames = 2000;
/** Longer ones are looked at each time. */
const longestName = 100;
/** Longer ones are searched each time. */
const longestValue = 200;

interface Known {
  readonly isSensitive: boolean;
  /** The last of its values that was found to be no credential. */
  harmless: string | undefined;
}

const known = new Map<string, Known>();

type Headers = Readonly<Record<string, string>>;
type Names = ReadonlySet<string>;

const nobody: Names = new Set();

/** Headers as a log may keep them. @param named more names to mask, lower case */
export function maskedHeaders(headers: Readonly<Record<string, string | readonly string[]>>, named = nobody): Headers {
  const kept: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name] ?? '';
    const text = typeof value === 'string' ? value : value.join(', ');
    kept[name] = named.size > 0 && named.has(name.toLowerCase()) ? mask : shownOf(name, text);
  }
  return kept;
}

/** The names of `x-gw-sensitive-headers`. */
export function namesOf(list: string | undefined): Names {
  if (list === undefined) return nobody;
  return new Set(list.split(',').map((name) => name.trim().toLowerCase()));
}

/** The same few names come again and again, most with the same value. */
function shownOf(name: string, text: string): string {
  const about = knownOf(name);
  if (about.isSensitive) return mask;
  if (about.harmless === text) return text;
  if (credential.test(text)) return mask;
  const shown = withoutQueries(text);
  if (shown === text && text.length <= longestValue) about.harmless = text;
  return shown;
}

/** Queries and fragments of addresses hold tokens and signatures, by any name. */
function withoutQueries(text: string): string {
  if (!text.includes('?') && !text.includes('#')) return text;
  return text.replace(address, (whole) => {
    const at = whole.search(/[?#]/);
    return at === -1 ? whole : `${whole.slice(0, at + 1)}${mask}`;
  });
}

/** Names that clients make up must not fill the memory. */
function knownOf(name: string): Known {
  const before = known.get(name);
  if (before !== undefined) return before;
  const lower = name.toLowerCase();
  const found: Known = { isSensitive: sensitive.test(lower) && !harmless.test(lower), harmless: undefined };
  if (known.size >= mostNames) known.clear();
  if (name.length <= longestName) known.set(name, found);
  return found;
}
