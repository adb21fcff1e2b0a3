import type { ScannedText } from '../contracts/guardrail.ts';

/**
 * All texts, joined by line feeds as `CheckInput.text` is, but adjoining ones by nothing: what a model may be told where a sentence
 * is split over the parts of a message. Undefined: none of them adjoin, so that it would be `CheckInput.text`. For checks of what must not be
 * there, beside `text`; it is no place for edits, and nothing to count in.
 */
export function seamless(texts: readonly ScannedText[]): string | undefined {
  if (!texts.some(({ adjoins }) => adjoins)) return undefined;
  return texts.map(({ text, adjoins }, at) => (at === 0 || adjoins ? text : `\n${text}`)).join('');
}
