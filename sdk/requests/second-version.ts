import type { TSchema } from 'typebox';
import Type from '../type-builders.ts';
import { toolCalls } from './chat-tools.ts';
import {
  anyObject,
  closedCases,
  type Fields,
  flag,
  integer,
  integerFrom,
  model,
  nullable,
  numberFrom,
  object,
  oneOf,
  openCases,
  text,
  textOrArray,
  texts,
} from './fields.ts';
import type { Rule } from './rule.ts';

const picture = object({ image_url: object({ url: text }, { detail: text }) });
const part = openCases('type', {
  text: object({ text }),
  image_url: picture,
  thinking: object({ thinking: text }),
  document: object({ document: anyObject }),
});
const content = textOrArray(part, { accepts: 'a string or an array of content parts' });

const message = closedCases('role', {
  system: object({ content }),
  user: object({ content }),
  assistant: object({}, { content: nullable(content), tool_calls: nullable(toolCalls), tool_plan: nullable(text) }),
  tool: object({ tool_call_id: text, content }),
});

const tool = closedCases('type', {
  function: object({ function: object({ name: text }, { description: text, parameters: anyObject }) }),
});

const textOrObject: TSchema = Type.Unsafe({ type: ['string', 'object'], accepts: 'a string or an object' });

const sampling: Fields = {
  max_tokens: nullable(integerFrom(0)),
  temperature: nullable(numberFrom(0, 2)),
  p: nullable(numberFrom(0, 1)),
  k: nullable(integerFrom(0, 500)),
  seed: nullable(integer),
  stop_sequences: nullable(texts()),
  frequency_penalty: nullable(numberFrom(0, 1)),
  presence_penalty: nullable(numberFrom(0, 1)),
  logprobs: nullable(flag),
};

/** The body of `POST /v2/chat`: https://docs.cohere.com/reference/chat. */
export const secondChat = object(
  { messages: Type.Array(message, { minItems: 1, maxItems: 100_000, accepts: 'an array of 1 to 100000 messages' }) },
  {
    model,
    ...sampling,
    stream: nullable(flag),
    tools: nullable(Type.Array(tool, { maxItems: 128 })),
    tool_choice: nullable(oneOf('REQUIRED', 'NONE')),
    strict_tools: nullable(flag),
    documents: nullable(Type.Array(textOrObject)),
    response_format: nullable(
      closedCases('type', { text: undefined, json_object: object({}, { json_schema: anyObject }) }),
    ),
    safety_mode: nullable(text),
    thinking: nullable(
      closedCases('type', { enabled: object({}, { token_budget: nullable(integerFrom(1)) }), disabled: undefined }),
    ),
  },
);

/** The body of `POST /v2/embed`: https://docs.cohere.com/reference/embed. */
export const secondEmbed = object(
  {},
  {
    model,
    texts: nullable(texts({ minItems: 1, maxItems: 2048 })),
    images: nullable(texts({ minItems: 1, maxItems: 2048 })),
    inputs: nullable(
      Type.Array(object({ content: Type.Array(openCases('type', { text: object({ text }), image_url: picture })) }), {
        minItems: 1,
        maxItems: 2048,
      }),
    ),
    input_type: nullable(text),
    embedding_types: nullable(texts()),
    output_dimension: nullable(integerFrom(1)),
    max_tokens: nullable(integerFrom(1)),
    truncate: nullable(text),
  },
);

const embedsSomething: Rule = ({ texts: words, images, inputs }) => {
  if ((words ?? images ?? inputs ?? null) !== null) return undefined;
  return { param: 'texts', message: 'texts is required, or images or inputs in its place.' };
};

export const secondEmbedRules: readonly Rule[] = [embedsSomething];
