/** Texts up to this many characters are counted; of what is longer the rest is taken to be like them. */
export const countedChars = 50_000;

/** Tokenizers take time that grows with the square of a run without a break. */
const longRuns = /[\p{L}\p{M}]{1000,}|[^\p{L}\p{M}\p{N}\s]{1000,}|\s{1000,}/gu;

/** What nobody has counted: tokens are four bytes long, give or take. */
export function tokensByLength(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** The tokens of a text, of which long runs are told by their length. */
export function countText(text: string, count: (text: string) => number): number {
  let tokens = 0;
  let from = 0;
  for (const { 0: run, index } of text.matchAll(longRuns)) {
    tokens += count(text.slice(from, index)) + tokensByLength(run);
    from = index + run.length;
  }
  return tokens + count(from === 0 ? text : text.slice(from));
}
