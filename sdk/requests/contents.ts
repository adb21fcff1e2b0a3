import type { TSchema } from 'typebox';
import { camelCase } from '../dialects/gemini/camel.ts';
import Type from '../type-builders.ts';
import {
  anyObject,
  choose,
  type Fields,
  flag,
  integer,
  integerFrom,
  model,
  nullable,
  numberFrom,
  object,
  text,
  texts,
} from './fields.ts';
import type { Rule } from './rule.ts';

/** The fields under both spellings that the API reads: `max_output_tokens` and `maxOutputTokens`. */
function spelled(fields: Fields): Fields {
  const both: Record<string, TSchema> = {};
  for (const [name, field] of Object.entries(fields)) {
    both[name] = nullable(field);
    both[camelCase(name)] = nullable(field);
  }
  return both;
}

/** A list, for which the API also takes a single item. */
function oneOrMany(item: TSchema, accepts: string, bounds: { minItems?: number; maxItems?: number } = {}): TSchema {
  const list = { items: item, ...bounds, accepts };
  return Type.Unsafe({ type: ['array', 'object'], accepts, ...choose({ type: 'object' }, item, list) });
}

const part = object(
  {},
  {
    text: nullable(text),
    thought: nullable(flag),
    ...spelled({
      inline_data: object({ data: text }),
      file_data: anyObject,
      function_call: object({ name: text }, { args: nullable(anyObject), id: nullable(text) }),
      function_response: object({ name: text }, { response: nullable(anyObject), id: nullable(text) }),
      thought_signature: text,
    }),
  },
);

const content = object({}, { role: nullable(text), parts: nullable(oneOrMany(part, 'a part or an array of parts')) });

/** 1 to 100,000 turns, or one alone. */
const contents = oneOrMany(content, 'a content or an array of 1 to 100000 contents', {
  minItems: 1,
  maxItems: 100_000,
});

const generationConfig = object(
  {},
  spelled({
    temperature: numberFrom(0, 2),
    top_p: numberFrom(0, 1),
    top_k: integerFrom(0),
    candidate_count: integerFrom(1),
    max_output_tokens: integerFrom(0),
    stop_sequences: texts(),
    seed: integer,
    presence_penalty: Type.Number(),
    frequency_penalty: Type.Number(),
    response_logprobs: flag,
    logprobs: integerFrom(0),
    response_mime_type: text,
    response_schema: anyObject,
    response_modalities: texts(),
    thinking_config: anyObject,
  }),
);

const tool = object({}, spelled({ function_declarations: Type.Array(object({ name: text })) }));

const asked: Fields = {
  model,
  ...spelled({
    system_instruction: Type.Unsafe({
      type: ['string', 'object'],
      accepts: 'a string or a content',
      ...choose({ type: 'object' }, content),
    }),
    tools: oneOrMany(tool, 'a tool or an array of tools'),
    tool_config: anyObject,
    safety_settings: Type.Array(anyObject),
    generation_config: generationConfig,
    cached_content: text,
  }),
};

/** The body of `generateContent` and `streamGenerateContent`: https://ai.google.dev/api/generate-content. */
export const generateContent = object({ contents }, asked);

/** The body of `countTokens`: https://ai.google.dev/api/tokens. */
export const countContentTokens = object(
  {},
  { ...asked, contents: nullable(contents), ...spelled({ generate_content_request: generateContent }) },
);

const embedded: Fields = {
  model,
  title: nullable(text),
  ...spelled({ task_type: text, output_dimensionality: integerFrom(1) }),
};

const embedding = object({ content }, embedded);

/** The body of `embedContent`: https://ai.google.dev/api/embeddings. */
export const embedContent = embedding;

/** The body of `batchEmbedContents`: 1 to 2048 requests. */
export const batchEmbedContents = object(
  { requests: Type.Array(embedding, { minItems: 1, maxItems: 2048 }) },
  { model },
);

const countsSomething: Rule = (body) => {
  const given = body.contents ?? body.generateContentRequest ?? body.generate_content_request;
  if (given !== undefined && given !== null) return undefined;
  return { param: 'contents', message: 'contents is required, or generateContentRequest in its place.' };
};

export const countContentTokensRules: readonly Rule[] = [countsSomething];
