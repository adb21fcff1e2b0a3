import { GatewayError } from 'portcullis/sdk';

const mostCharacters = 32_000;
const mostParts = 8;
/** Parts share their borders, so that nothing is cut in two and seen by nobody. */
const shared = 200;

/**
 * The text in parts that fit into one question.
 * @throws GatewayError `check_failed` when there would be more than eight
 */
export function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  for (let start = 0; ; start += mostCharacters - shared) {
    parts.push(text.slice(afterHalf(text, start), start + mostCharacters).toWellFormed());
    if (start + mostCharacters >= text.length) return parts;
    if (parts.length === mostParts) {
      const why = `The text has ${text.length} characters: a model is asked about ${mostParts} parts of ${mostCharacters} at most.`;
      throw new GatewayError('check_failed', why);
    }
  }
}

/** Not in the middle of a surrogate pair. */
function afterHalf(text: string, start: number): number {
  const code = text.charCodeAt(start);
  return start > 0 && code >= 0xdc00 && code <= 0xdfff ? start + 1 : start;
}
