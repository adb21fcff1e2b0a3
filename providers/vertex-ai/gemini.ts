import {
  asObject,
  compact,
  contentPictures,
  contentSpeech,
  type Endpoints,
  type JsonObject,
  labelsOf,
  pictureDrops,
  picturesReply,
  predictPictures,
  predictsPictures,
  speechDrops,
  spokenBytes,
  spokenReply,
  withoutRoute,
} from 'portcullis/sdk';
import { embed } from './embeddings.ts';
import { bareOf, method } from './model-path.ts';

/** Lower-case labels, and nothing that is in the path. */
function content(body: JsonObject): JsonObject {
  const bare = withoutRoute(body);
  return bare.labels === undefined ? bare : compact({ ...bare, labels: labelsOf(bare.labels) });
}

/** This platform takes the fields of the request themselves, where the other API wants them inside one. */
function counting(body: JsonObject): JsonObject {
  return content(asObject(body.generateContentRequest) ?? body);
}

const makesPictures = method('generateContent');
const predicts = method('predict');

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference */
export const gemini: Endpoints = {
  chatComplete: {
    path: method('generateContent'),
    streamPath: method('streamGenerateContent?alt=sse'),
    dialect: 'gemini',
    // Tiers are asked for by a header here, and the field is refused.
    params: { drop: ['serviceTier'] },
    request: content,
  },
  messagesCountTokens: { path: method('countTokens'), dialect: 'gemini', request: counting },
  embed,
  imageGenerate: {
    path: (facts) => (predictsPictures(bareOf(facts.model)) ? predicts : makesPictures)(facts),
    dialect: 'images',
    params: { drop: pictureDrops },
    request: (body, { model }) => {
      const labelled = compact({ ...body, labels: labelsOf(body.labels) });
      return predictsPictures(bareOf(model)) ? predictPictures(labelled) : contentPictures(labelled);
    },
    repair: picturesReply,
  },
  createSpeech: {
    path: method('generateContent'),
    dialect: 'speech',
    params: { drop: speechDrops },
    request: contentSpeech,
    repair: spokenReply,
    unwrap: spokenBytes,
  },
};
