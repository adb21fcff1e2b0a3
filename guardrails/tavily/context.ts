import type { Findings, Image } from './findings.ts';

/** All results share it, whatever their number: more would crowd out the conversation. */
const maxCharacters = 100_000;

/** What was found as the model reads it, between prefix and suffix. */
export function contextOf({ answer, images, results }: Findings, prefix: string, suffix: string): string {
  const most = Math.floor(maxCharacters / results.length);
  const entries = results.map(
    ({ title, url, text, images: own }, index) =>
      `[${index + 1}] "${title}"\nURL: ${url}\n${text.slice(0, most)}\n${listed(own)}`,
  );
  const said = answer === undefined ? '' : `Answer: ${answer}\n`;
  return `${prefix}\n${withoutMark(said + listed(images) + entries.join(''), suffix.trim())}${suffix}`;
}

function listed(images: readonly Image[]): string {
  return images
    .map(({ url, description }) => `Image: ${url}${description === undefined ? '' : ` (${description})`}\n`)
    .join('');
}

/** A page that holds the closing mark must not end the results: what follows would read as instructions. */
function withoutMark(text: string, mark: string): string {
  return mark === '' ? text : text.replaceAll(mark, () => `${mark.charAt(0)} ${mark.slice(1)}`);
}
