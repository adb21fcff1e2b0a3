import { asNumber } from '../json.ts';
import { flag, integerFrom, model, nullable, numberFrom, object, text } from './fields.ts';
import { type Rule, streamOptionsNeedStream } from './rule.ts';
import { sampling, tokenBias } from './sampling.ts';
import { textOrTokens } from './tokens.ts';

/**
 * The body of a text completion request: the specification's table "Text completion request". `model` is optional here
 * because a config may supply it.
 */
export const completions = object(
  { prompt: textOrTokens({ type: 'string' }, {}) },
  {
    model,
    ...sampling,
    best_of: nullable(integerFrom(0, 20)),
    echo: nullable(flag),
    logit_bias: tokenBias(numberFrom(-100, 100)),
    logprobs: nullable(integerFrom(0, 5)),
    max_tokens: nullable(integerFrom(0)),
    suffix: nullable(text),
  },
);

const bestOfExceedsN: Rule = (body) => {
  const [bestOf, n] = [asNumber(body.best_of), asNumber(body.n)];
  if (bestOf === undefined || n === undefined || bestOf > n) return undefined;
  return { param: 'best_of', message: `best_of must be greater than n (${n}) when both are given; got ${bestOf}.` };
};

const bestOfCannotStream: Rule = (body) => {
  const bestOf = asNumber(body.best_of) ?? 1;
  if (body.stream !== true || bestOf <= 1) return undefined;
  return { param: 'best_of', message: `best_of must be at most 1 when stream is true; got ${bestOf}.` };
};

export const completionsRules: readonly Rule[] = [bestOfExceedsN, bestOfCannotStream, streamOptionsNeedStream];
