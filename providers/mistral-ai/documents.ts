import {
  asObject,
  asObjects,
  asString,
  compact,
  type Endpoints,
  GatewayError,
  type Json,
  type JsonObject,
  type ReplyFacts,
  speechType,
  type TypedBytes,
} from 'portcullis/sdk';
import { explained } from './shapes.ts';

/** https://docs.mistral.ai/api/endpoint/audio/speech, /audio/transcriptions, /classifiers and /ocr. */
export const documents: Endpoints = {
  createSpeech: {
    path: '/audio/speech',
    dialect: 'speech',
    params: { rename: { voice: 'voice_id' } },
    repair: explained,
    unwrap: sound,
  },
  createTranscription: {
    path: '/audio/transcriptions',
    dialect: 'transcriptions',
    params: { rename: { 'timestamp_granularities[]': 'timestamp_granularities' } },
    repair: explained,
  },
  moderate: {
    path: '/moderations',
    dialect: 'moderations',
    request: texts,
    repair: (json) => flagged(explained(json)),
  },
  ocr: { path: '/ocr', dialect: 'ocr', repair: explained },
};

/** Speech comes as base64. */
function sound(json: JsonObject, { asked }: ReplyFacts): TypedBytes {
  const audio = asString(json.audio_data);
  if (audio === undefined) throw new GatewayError('upstream_invalid', 'The provider answered without sound.');
  return { contentType: speechType(asked.response_format, 'mp3'), bytes: Buffer.from(audio, 'base64') };
}

/** Inputs are strings: parts that are text become their text. */
function texts(body: JsonObject): JsonObject {
  const { input } = body;
  if (!Array.isArray(input)) return body;
  return { ...body, input: (input as readonly Json[]).map((part) => asString(asObject(part)?.text) ?? part) };
}

/** What is flagged is told by its categories alone. */
function flagged(json: JsonObject): JsonObject {
  if (!Array.isArray(json.results)) return json;
  const results = asObjects(json.results).map((result) =>
    compact({ flagged: Object.values(asObject(result.categories) ?? {}).includes(true), ...result }),
  );
  return { ...json, results };
}
