import type { TSchema } from 'typebox';
import Type from '../type-builders.ts';
import {
  anyObject,
  filledText,
  flag,
  integerFrom,
  labels,
  model,
  nullable,
  numberFrom,
  object,
  oneOf,
  text,
} from './fields.ts';
import type { Rule } from './rule.ts';

const textOrObject = (accepts: string): TSchema => Type.Unsafe({ type: ['string', 'object'], accepts });

/** The body of a rerank request, as cohere's v2 and its followers have it: 1 to 10,000 documents. */
export const rerank = object(
  {
    query: filledText,
    documents: Type.Array(textOrObject('a string or an object with a text'), { minItems: 1, maxItems: 10_000 }),
  },
  {
    model,
    top_n: nullable(integerFrom(1)),
    return_documents: nullable(flag),
    max_tokens_per_doc: nullable(integerFrom(1)),
    priority: nullable(integerFrom(0)),
    rank_fields: nullable(Type.Array(text)),
    truncation: nullable(flag),
  },
);

/** The body of `POST /images/generations`: https://platform.openai.com/docs/api-reference/images/create. */
export const images = object(
  { prompt: filledText },
  {
    model,
    n: nullable(integerFrom(1, 10)),
    size: nullable(text),
    quality: nullable(text),
    stream: nullable(flag),
    user: text,
  },
);

/** The body of `POST /images/edits` as JSON; as a form its fields are texts. */
export const imageEdits = object({}, { model, prompt: text });

/** The body of `POST /audio/speech`: https://platform.openai.com/docs/api-reference/audio/createSpeech. */
export const speech = object(
  { input: filledText },
  {
    model,
    voice: Type.Unsafe({ type: ['string', 'object'], accepts: 'the name of a voice, or an object with its id' }),
    response_format: text,
    speed: numberFrom(0.25, 4),
    instructions: text,
  },
);

/** The fields of the form of `POST /audio/transcriptions` and `/audio/translations`; texts all of them. */
export const transcriptions = object({}, { model, language: text, prompt: text, response_format: text });

/** The body of `POST /moderations`: https://platform.openai.com/docs/api-reference/moderations/create. */
export const moderations = object(
  {
    input: Type.Unsafe({
      type: ['string', 'array'],
      minItems: 1,
      accepts: 'a string, or an array of strings or of parts',
    }),
  },
  { model },
);

/** The body of `POST /ocr`: https://docs.mistral.ai/api/#tag/ocr. */
export const ocr = object(
  { document: anyObject },
  {
    model,
    pages: nullable(Type.Unsafe({ type: ['array', 'string'], accepts: 'an array of page numbers, or ranges' })),
    include_image_base64: nullable(flag),
  },
);

/** The fields of the form of `POST /files`. */
export const files = object({ purpose: filledText });

/** The body of `POST /batches`: https://platform.openai.com/docs/api-reference/batch/create. */
export const batches = object(
  { input_file_id: filledText, endpoint: filledText },
  { completion_window: filledText, metadata: nullable(labels) },
);

/** The body of `POST /fine_tuning/jobs`: https://platform.openai.com/docs/api-reference/fine-tuning/create. */
export const fineTuning = object(
  { training_file: filledText },
  {
    model,
    validation_file: nullable(text),
    suffix: nullable(text),
    seed: nullable(Type.Integer()),
    hyperparameters: nullable(anyObject),
    integrations: nullable(Type.Array(object({ type: oneOf('wandb') }))),
    method: nullable(anyObject),
    metadata: nullable(labels),
  },
);

export const documentRules: readonly Rule[] = [];
