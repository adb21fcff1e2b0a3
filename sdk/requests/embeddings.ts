import { filledText, integerFrom, model, object, oneOf, text } from './fields.ts';
import type { Rule } from './rule.ts';
import { textOrTokens } from './tokens.ts';

/**
 * The body of an embeddings request: https://platform.openai.com/docs/api-reference/embeddings/create. An input is
 * never empty; an array has at most 2048 members.
 */
export const embeddings = object(
  { input: textOrTokens(filledText, { minItems: 1, maxItems: 2048 }) },
  { model, dimensions: integerFrom(1), encoding_format: oneOf('float', 'base64'), user: text },
);

export const embeddingsRules: readonly Rule[] = [];
