import { messages } from './chat-messages.ts';
import { functionCall, functions, toolChoice, tools, toolTypes } from './chat-tools.ts';
import { flag, integer, integerFrom, model, nullable, object, oneOf } from './fields.ts';
import { responseFormat } from './response-format.ts';
import { type Rule, streamOptionsNeedStream } from './rule.ts';
import { sampling, tokenBias } from './sampling.ts';

/**
 * The body of a chat completion request: the specification's table "Chat completion request". `model` is optional here
 * because a config may supply it.
 */
export const chat = object(
  { messages },
  {
    model,
    ...sampling,
    logit_bias: tokenBias(integerFrom(-100, 100)),
    logprobs: nullable(flag),
    top_logprobs: nullable(integerFrom(0, 20)),
    max_tokens: nullable(integer),
    max_completion_tokens: nullable(integer),
    response_format: responseFormat,
    thinking: nullable(object({ type: oneOf('enabled', 'disabled') }, { budget_tokens: integerFrom(1) })),
    tools,
    tool_choice: toolChoice,
    parallel_tool_calls: flag,
    function_call: functionCall,
    functions,
  },
);

const topLogprobsNeedLogprobs: Rule = (body) => {
  if (body.top_logprobs === undefined || body.top_logprobs === null || body.logprobs === true) return undefined;
  return { param: 'top_logprobs', message: 'top_logprobs is only accepted when logprobs is true.' };
};

const thinkingNeedsLooseCompliance: Rule = (body, { strict }) => {
  if (!strict || body.thinking === undefined || body.thinking === null) return undefined;
  return {
    param: 'thinking',
    message: 'thinking is only accepted when strict compliance is off; send x-gw-strict-compliance: false.',
  };
};

export const chatRules: readonly Rule[] = [
  toolTypes,
  topLogprobsNeedLogprobs,
  streamOptionsNeedStream,
  thinkingNeedsLooseCompliance,
];
