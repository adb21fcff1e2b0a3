import Type from '../type-builders.ts';
import {
  anyObject,
  choose,
  closedCases,
  type Fields,
  flag,
  integerFrom,
  model,
  nullable,
  numberFrom,
  object,
  oneOf,
  text,
  texts,
} from './fields.ts';
import { cacheControl, system, turns } from './messages-content.ts';
import type { Rule } from './rule.ts';

const toolName = Type.String({ minLength: 1, maxLength: 128 });
const toolOptions = { description: text, strict: flag, cache_control: cacheControl };
const clientTool = object({ name: toolName, input_schema: anyObject }, toolOptions);
const ownType = { type: 'object', properties: { type: { enum: ['custom', null] } } };

/** A tool without a type, or of type custom, is run by the client; every other type is the provider's own. */
const tool = Type.Unsafe({
  ...object({}, { type: nullable(text), name: toolName, cache_control: cacheControl }),
  ...choose(ownType, clientTool),
});

const parallel = object({}, { disable_parallel_tool_use: flag });

const toolChoice = closedCases('type', {
  auto: parallel,
  any: parallel,
  tool: object({ name: text }, { disable_parallel_tool_use: flag }),
  none: undefined,
});

const thinking = closedCases('type', {
  enabled: object({ budget_tokens: integerFrom(1024) }),
  disabled: undefined,
  adaptive: undefined,
  between_tools: undefined,
});

const outputConfig = object(
  {},
  {
    effort: nullable(text),
    format: nullable(closedCases('type', { json_schema: object({ schema: anyObject }) })),
  },
);

const counted: Fields = {
  model,
  system,
  tools: Type.Array(tool),
  tool_choice: toolChoice,
  thinking,
  cache_control: cacheControl,
  output_config: outputConfig,
  speed: nullable(oneOf('standard', 'fast')),
};

/** The body of a token count: https://docs.anthropic.com/en/api/messages-count-tokens. */
export const countTokens = object({ messages: turns }, counted);

/**
 * The body of a messages request: https://docs.anthropic.com/en/api/messages. `model` is optional here because a
 * config may supply it.
 */
export const messages = object(
  { max_tokens: integerFrom(0), messages: turns },
  {
    ...counted,
    temperature: numberFrom(0, 1),
    top_k: integerFrom(0),
    top_p: numberFrom(0, 1),
    stop_sequences: texts(),
    stream: flag,
    metadata: object({}, { user_id: nullable(text) }),
    service_tier: oneOf('auto', 'standard_only'),
    container: Type.Unsafe({ type: ['string', 'object', 'null'] }),
    inference_geo: nullable(text),
  },
);

export const messagesRules: readonly Rule[] = [];
