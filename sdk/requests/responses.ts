import Type from '../type-builders.ts';
import {
  anyObject,
  choose,
  flag,
  identifier,
  integer,
  integerFrom,
  labels,
  model,
  nullable,
  numberFrom,
  object,
  oneOf,
  openCases,
  text,
  texts,
  wordOrObject,
} from './fields.ts';
import { textFormat } from './response-format.ts';
import { input } from './responses-input.ts';
import { type Rule, streamOptionsNeedStream } from './rule.ts';

const tool = openCases('type', {
  function: object(
    { name: identifier(128) },
    { description: nullable(text), parameters: nullable(anyObject), strict: nullable(flag) },
  ),
  custom: object({ name: text }, { description: text, format: anyObject }),
  mcp: object({ server_label: text }),
});

const toolChoice = wordOrObject(
  ['none', 'auto', 'required'],
  openCases('type', {
    function: object({ name: text }),
    custom: object({ name: text }),
    mcp: object({ server_label: text }),
    allowed_tools: object({ mode: oneOf('auto', 'required'), tools: Type.Array(anyObject) }),
  }),
  '"none", "auto", "required" or an object with a type',
);

const summary = nullable(oneOf('auto', 'concise', 'detailed'));

const conversation = Type.Unsafe({
  type: ['string', 'object', 'null'],
  accepts: 'a string, an object with an id or null',
  ...choose({ type: 'object' }, object({ id: text })),
});

/**
 * The body of a responses request: https://platform.openai.com/docs/api-reference/responses/create. `model` is optional
 * here because a config may supply it.
 */
export const responses = object(
  {},
  {
    model,
    input,
    background: nullable(flag),
    conversation,
    include: nullable(texts()),
    instructions: nullable(text),
    max_output_tokens: nullable(integerFrom(1)),
    max_tool_calls: nullable(integer),
    metadata: nullable(labels),
    parallel_tool_calls: nullable(flag),
    previous_response_id: nullable(text),
    prompt: nullable(object({ id: text }, { version: nullable(text), variables: nullable(anyObject) })),
    prompt_cache_key: nullable(text),
    reasoning: nullable(object({}, { effort: nullable(text), summary, generate_summary: summary })),
    safety_identifier: nullable(Type.String({ maxLength: 128 })),
    service_tier: nullable(oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast')),
    store: nullable(flag),
    stream: nullable(flag),
    stream_options: nullable(object({}, { include_obfuscation: flag })),
    temperature: nullable(numberFrom(0, 2)),
    text: object({}, { format: textFormat, verbosity: nullable(oneOf('low', 'medium', 'high')) }),
    tool_choice: toolChoice,
    tools: Type.Array(tool),
    top_logprobs: nullable(integerFrom(0, 20)),
    top_p: nullable(numberFrom(0, 1)),
    truncation: nullable(oneOf('auto', 'disabled')),
    user: text,
  },
);

const oneHistory: Rule = (body) => {
  const both = [body.conversation, body.previous_response_id].every((field) => field !== undefined && field !== null);
  if (!both) return undefined;
  return {
    param: 'previous_response_id',
    message: 'previous_response_id is only accepted without conversation; send one of the two.',
  };
};

/** What may stand in the place of an input: something that is stored at the provider. */
const stored = ['prompt', 'conversation', 'previous_response_id'] as const;

const inputOrStored: Rule = (body) => {
  if (body.input !== undefined || stored.some((field) => body[field] !== undefined && body[field] !== null))
    return undefined;
  return {
    param: 'input',
    message: `input is required: a string or an array of items; only ${stored.join(', ')} may stand in its place.`,
  };
};

export const responsesRules: readonly Rule[] = [inputOrStored, streamOptionsNeedStream, oneHistory];
