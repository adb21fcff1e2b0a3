import { type CallFacts, pathSegment, provider, schema, secret } from 'portcullis/sdk';
import { completed, embedded, messagePrompt, spoken, textPrompt, textsToEmbed } from './shapes.ts';

const method =
  (name: string) =>
  ({ model }: CallFacts) =>
    `/models/${pathSegment(model.replace(/^models\//, ''), 'model')}:${name}`;

const neither = [
  ...['stream', 'stream_options', 'user', 'seed', 'logit_bias', 'logprobs', 'top_logprobs', 'presence_penalty'],
  ...['frequency_penalty', 'response_format', 'metadata', 'store', 'service_tier'],
];

/**
 * The PaLM API, with the models text-bison, chat-bison and embedding-gecko. Google ended it on 15 August 2024: its own host
 * answers no more, and the provider `google` has its successor. It is here for configs that name it, and for servers that
 * still speak its format, by `custom_host`. It has no streams (streamed requests get the whole answer as one) and no tools.
 * Source: https://github.com/googleapis/googleapis/tree/master/google/ai/generativelanguage/v1beta3;
 * https://ai.google.dev/palm_docs/deprecation
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'PALM_API_KEY' }) }),
  base: 'https://generativelanguage.googleapis.com/v1beta3',
  // Never `?key=`: URLs end up in logs.
  auth: { kind: 'header', name: 'x-goog-api-key', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: method('generateMessage'),
      dialect: 'chat',
      params: {
        rename: { n: 'candidateCount', top_p: 'topP', top_k: 'topK' },
        drop: [...neither, 'max_tokens', 'max_completion_tokens', 'stop'],
      },
      request: messagePrompt,
      repair: spoken,
      streamUsage: 'never',
    },
    complete: {
      path: method('generateText'),
      dialect: 'completions',
      params: {
        rename: {
          n: 'candidateCount',
          top_p: 'topP',
          top_k: 'topK',
          max_tokens: 'maxOutputTokens',
          safety_settings: 'safetySettings',
        },
        drop: [...neither, 'best_of', 'echo', 'suffix'],
      },
      request: textPrompt,
      repair: completed,
      streamUsage: 'never',
    },
    embed: {
      path: method('batchEmbedText'),
      dialect: 'embeddings',
      params: { drop: ['dimensions', 'user', 'encoding_format'] },
      request: textsToEmbed,
      repair: embedded,
    },
    listModels: { method: 'GET', path: '/models?pageSize=1000' },
    proxy: { path: '' },
  },
});
