import {
  asObjects,
  asString,
  compact,
  type Endpoints,
  GatewayError,
  type JsonObject,
  pictureSize,
  type ReplyFacts,
  type TypedBytes,
} from 'portcullis/sdk';

/** https://docs.hyperbolic.xyz/docs/image-generation-1 and https://docs.hyperbolic.xyz/docs/audio-generation */
export const media: Endpoints = {
  imageGenerate: {
    path: '/image/generation',
    dialect: 'images',
    params: { rename: { model: 'model_name' } },
    request: pictureAsked,
    repair: pictures,
  },
  createSpeech: {
    path: '/audio/generation',
    dialect: 'speech',
    params: { rename: { input: 'text', voice: 'speaker' } },
    unwrap: sound,
  },
};

/** Sizes are two numbers, which it must be told: those of its own examples where the client names none. */
function pictureAsked(body: JsonObject): JsonObject {
  const { size, ...rest } = body;
  const { width, height } = pictureSize(size) ?? { width: 1024, height: 1024 };
  return { width, height, ...rest };
}

function pictures(json: JsonObject, { nowSeconds }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.images)) return json;
  const { images, ...rest } = json;
  const data = asObjects(images).map(({ image, random_seed }) => compact({ b64_json: image, seed: random_seed }));
  return { created: nowSeconds(), ...rest, data };
}

/** Speech comes as base64, and nothing says which format it is but its first bytes. */
function sound(json: JsonObject): TypedBytes {
  const audio = asString(json.audio);
  if (audio === undefined) throw new GatewayError('upstream_invalid', 'The provider answered without sound.');
  const bytes = Buffer.from(audio, 'base64');
  const wav = bytes.toString('latin1', 0, 4) === 'RIFF';
  return { contentType: wav ? 'audio/wav' : 'audio/mpeg', bytes };
}
