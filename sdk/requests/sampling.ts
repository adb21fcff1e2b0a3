import type { TSchema } from 'typebox';
import Type from '../type-builders.ts';
import { type Fields, flag, integer, integerFrom, nullable, numberFrom, object, text, textOrArray } from './fields.ts';

/** A map from token id to bias, each from -100 to 100. */
export function tokenBias(value: TSchema): TSchema {
  return nullable(Type.Object({}, { additionalProperties: value }));
}

/** A string or 1 to 4 strings. Null is the field's documented default, so it is accepted. */
export const stop = nullable(textOrArray(text, { minItems: 1, maxItems: 4 }));

/** What chat completions and text completions share, bound for bound. */
export const sampling: Fields = {
  frequency_penalty: nullable(numberFrom(-2, 2)),
  presence_penalty: nullable(numberFrom(-2, 2)),
  temperature: nullable(numberFrom(0, 2)),
  top_p: nullable(numberFrom(0, 1)),
  n: nullable(integerFrom(1, 128)),
  seed: nullable(integer),
  stop,
  stream: nullable(flag),
  stream_options: nullable(object({}, { include_usage: flag, include_obfuscation: flag })),
  user: text,
};
