const longest = 2048;

export interface FoundUrls {
  /** Each once, without fragments, in the order in which they stand. */
  readonly urls: readonly URL[];
  /** How many different ones start like a URL and are none, or are longer than 2048 characters. */
  readonly malformed: number;
}

/** The http(s) URLs of a text; the punctuation of the sentence around them is left out. */
export function urlsIn(text: string): FoundUrls {
  const urls = new Map<string, URL>();
  const malformed = new Set<string>();
  for (const [match] of text.matchAll(/https?:\/\/(?:\[[\da-f:.]*\])?[^\s<>"'`{}|\\^[\]]*/gi)) {
    const candidate = withoutPunctuation(match);
    if (candidate.endsWith('://')) continue;
    const url = candidate.length <= longest && URL.canParse(candidate) ? new URL(candidate) : undefined;
    if (url === undefined) {
      malformed.add(candidate);
      continue;
    }
    url.hash = '';
    urls.set(url.href, url);
  }
  return { urls: [...urls.values()], malformed: malformed.size };
}

/** A closing bracket belongs to the URL only where it opens one too. */
function withoutPunctuation(match: string): string {
  let balance = 0;
  for (const letter of match) balance += letter === '(' ? 1 : letter === ')' ? -1 : 0;
  let end = match.length;
  for (; end > 0; end -= 1) {
    const last = match.charAt(end - 1);
    if (last === ')' && balance < 0) balance += 1;
    else if (!'.,;:!?*_~'.includes(last)) break;
  }
  return match.slice(0, end);
}
