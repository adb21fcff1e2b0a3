import {
  asObject,
  type CallFacts,
  type Endpoints,
  type JsonArray,
  type JsonObject,
  omit,
  wordAsCode,
} from 'portcullis/sdk';
import { bareName, openName, rawPublisherOf } from './names.ts';
import { inProject, ofPublisher, segment } from './places.ts';

/** Errors of the chat endpoints come as a list of one. */
const firstOf = (list: JsonArray): JsonObject => wordAsCode(asObject(list[0]) ?? {});

const named =
  (name: (model: string) => string) =>
  (body: JsonObject, { model }: CallFacts) => {
    const wanted = name(model);
    return body.model === wanted ? body : { ...body, model: wanted };
  };

/** Fields of the chat format that make Mistral answer 422. */
const refused = [
  ...[
    'stream_options',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'user',
    'store',
    'service_tier',
    'modalities',
    'audio',
  ],
  ...['verbosity', 'safety_identifier', 'web_search_options'],
];

const isMeta = (model: string) => openName(model).startsWith('meta/');
const chats = inProject('/endpoints/openapi/chat/completions');
const betaChats = inProject('/endpoints/openapi/chat/completions', 'v1beta1');

/**
 * Models of other vendors that the platform runs.
 * Source: https://cloud.google.com/vertex-ai/generative-ai/docs/maas/call-open-model-apis
 */
export const open: Endpoints = {
  chatComplete: {
    path: (facts) => (isMeta(facts.model) ? betaChats : chats)(facts),
    dialect: 'chat',
    request: named(openName),
    repairList: firstOf,
  },
};

/** Source: https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/mistral */
export const mistral: Endpoints = {
  chatComplete: {
    path: ({ settings, model }) => ofPublisher(settings, rawPublisherOf(model), bareName(model), 'rawPredict'),
    streamPath: ({ settings, model }) =>
      ofPublisher(settings, rawPublisherOf(model), bareName(model), 'streamRawPredict'),
    dialect: 'chat',
    // The versions stand behind an @, which the body does not know.
    request: named((model) => bareName(model).replace(/@.*$/, '')),
    params: {
      values: { tool_choice: { required: 'any' } },
      rename: { max_completion_tokens: 'max_tokens', seed: 'random_seed' },
      drop: refused,
    },
    finishReasons: { model_length: 'length', error: 'stop' },
    streamUsage: 'always',
    repairList: firstOf,
  },
  ocr: {
    path: ({ settings, model }) => ofPublisher(settings, 'mistralai', bareName(model), 'rawPredict'),
    dialect: 'ocr',
    request: named((model) => bareName(model).replace(/@.*$/, '')),
    repairList: firstOf,
  },
};

/** Models that were deployed to an endpoint. Source: https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview */
export const endpoint: Endpoints = {
  chatComplete: {
    path: (facts) => inProject(`/endpoints/${segment(bareName(facts.model))}/chat/completions`, 'v1beta1')(facts),
    dialect: 'chat',
    // The path says it all.
    request: (body) => omit(body, new Set(['model'])),
    repairList: firstOf,
  },
};
