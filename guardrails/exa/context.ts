import type { SearchResult } from './results.ts';

/** The results as the model reads them, between prefix and suffix. */
export function contextOf(results: readonly SearchResult[], prefix: string, suffix: string): string {
  const entries = results.map(({ title, url, publishedDate, text }, index) => {
    const date = publishedDate === undefined ? '' : `Date: ${publishedDate}\n`;
    return `[${index + 1}] "${title}"\nURL: ${url}\n${date}${text}\n`;
  });
  return `${prefix}\n${withoutMark(entries.join(''), suffix.trim())}${suffix}`;
}

/** A page that holds the closing mark must not end the results: what follows would read as instructions. */
function withoutMark(text: string, mark: string): string {
  return mark === '' ? text : text.replaceAll(mark, () => `${mark.charAt(0)} ${mark.slice(1)}`);
}
