import { filledText, integerFrom, model, object, oneOf, text } from './fields.ts';
import type { Rule } from './rule.ts';
import { textOrTokens } from './tokens.ts';

/** Providers that embed more than texts take objects with a text, an image or a video: https://jina.ai/embeddings. */
const textOrMedia = {
  type: ['string', 'object'],
  minProperties: 1,
  accepts: 'a non-empty string, or an object with a text, an image or a video',
};

/**
 * The body of an embeddings request: https://platform.openai.com/docs/api-reference/embeddings/create. An input is
 * never empty; an array has at most 2048 members.
 */
export const embeddings = object(
  { input: textOrTokens(filledText, { minItems: 1, maxItems: 2048 }, textOrMedia) },
  { model, dimensions: integerFrom(1), encoding_format: oneOf('float', 'base64'), user: text },
);

export const embeddingsRules: readonly Rule[] = [];
