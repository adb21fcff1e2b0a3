import {
  contentPictures,
  contentSpeech,
  pictureDrops,
  picturesReply,
  predictPictures,
  predictsPictures,
  provider,
  schema,
  secret,
  setting,
  speechDrops,
  spokenBytes,
  spokenReply,
  withoutRoute,
  wordAsCode,
} from 'portcullis/sdk';
import { batches } from './batches.ts';
import { counting } from './counting.ts';
import { embed } from './embeddings.ts';
import { files } from './files.ts';
import { bareId, host, modelName, ofModel } from './places.ts';

const isPredicted = (model: string) => predictsPictures(bareId(model));

/** https://ai.google.dev/api */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'GEMINI_API_KEY' }),
    providerModel: schema.Optional(setting({ description: 'The model of batches that name none.' })),
  }),
  base: `${host}/v1beta`,
  // Never `?key=`: URLs end up in logs.
  auth: { kind: 'header', name: 'x-goog-api-key', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: ofModel('generateContent'),
      streamPath: ofModel('streamGenerateContent?alt=sse'),
      dialect: 'gemini',
      request: withoutRoute,
    },
    messagesCountTokens: { path: ofModel('countTokens'), dialect: 'gemini', request: counting },
    embed,
    imageGenerate: {
      path: (facts) => ofModel(isPredicted(facts.model) ? 'predict' : 'generateContent')(facts),
      dialect: 'images',
      params: { drop: pictureDrops },
      request: (body, { model }) => (isPredicted(model) ? predictPictures(body) : contentPictures(body)),
      repair: picturesReply,
    },
    createSpeech: {
      path: ofModel('generateContent'),
      dialect: 'speech',
      params: { drop: speechDrops },
      request: contentSpeech,
      repair: spokenReply,
      unwrap: spokenBytes,
    },
    ...files,
    ...batches,
    // The longest page: without a size only the first 50 models come.
    listModels: { method: 'GET', path: '/models?pageSize=1000' },
    retrieveModel: { method: 'GET', path: ({ params }) => `/${modelName(params.id ?? '')}`, repair: wordAsCode },
    proxy: { path: '' },
  },
});
