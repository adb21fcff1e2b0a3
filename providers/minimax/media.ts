import {
  asArray,
  asNumber,
  asObject,
  asString,
  compact,
  type Endpoints,
  GatewayError,
  type JsonObject,
  omit,
  pictureSize,
  type ReplyFacts,
  speechType,
  type TypedBytes,
} from 'portcullis/sdk';

/** https://platform.minimax.io/docs/api-reference/speech-t2a-http and /image-generation-t2i. */
export const media: Endpoints = {
  createSpeech: { path: '/t2a_v2', dialect: 'speech', request: speechAsked, repair: refused, unwrap: sound },
  imageGenerate: {
    path: '/image_generation',
    dialect: 'images',
    params: { values: { response_format: { b64_json: 'base64' } } },
    request: pictureAsked,
    repair: (json, reply) => pictures(refused(json), reply),
  },
};

/** What kind of fault its codes are, where the words alone would not tell: https://platform.minimax.io/docs/api-reference/errorcode */
const types: ReadonlyMap<number, readonly [type: string, status: number]> = new Map([
  [1002, ['rate_limit_error', 429]],
  [1004, ['authentication_error', 401]],
  [1008, ['insufficient_quota', 402]],
  [1039, ['rate_limit_error', 429]],
  [2013, ['invalid_request_error', 400]],
  [2049, ['authentication_error', 401]],
]);

/** Faults come with status 200. */
export function refused(json: JsonObject): JsonObject {
  const base = asObject(json.base_resp);
  const code = asNumber(base?.status_code) ?? 0;
  if (code === 0) return json;
  const [type, status] = types.get(code) ?? ['api_error', 500];
  return { error: { message: asString(base?.status_msg) ?? 'The provider refused.', type, code, status } };
}

const ofSpeech: ReadonlySet<string> = new Set(['input', 'voice', 'speed', 'response_format', 'instructions']);

function speechAsked(body: JsonObject): JsonObject {
  const voice = compact({ voice_id: body.voice, speed: body.speed });
  const format = body.response_format ?? 'mp3';
  return {
    ...omit(body, ofSpeech),
    text: body.input ?? '',
    voice_setting: { ...voice, ...asObject(body.voice_setting) },
    audio_setting: { format, ...asObject(body.audio_setting) },
    output_format: 'hex',
  };
}

/** Speech comes as hexadecimal digits. */
function sound(json: JsonObject, { asked }: ReplyFacts): TypedBytes {
  const audio = asString(asObject(json.data)?.audio);
  if (audio === undefined) throw new GatewayError('upstream_invalid', 'The provider answered without sound.');
  const format = asString(asObject(json.extra_info)?.audio_format) ?? asked.response_format;
  return { contentType: speechType(format, 'mp3'), bytes: Buffer.from(audio, 'hex') };
}

function pictureAsked(body: JsonObject): JsonObject {
  const { size, ...rest } = body;
  const pixels = pictureSize(size);
  if (pixels === undefined) return size === 'auto' ? rest : body;
  return pixels.width === pixels.height ? { aspect_ratio: '1:1', ...rest } : { ...pixels, ...rest };
}

function pictures(json: JsonObject, { nowSeconds }: ReplyFacts): JsonObject {
  const made = asObject(json.data);
  if (made === undefined) return json;
  const data = [
    ...asArray(made.image_urls).map((url) => ({ url })),
    ...asArray(made.image_base64).map((b64_json) => ({ b64_json })),
  ];
  return compact({ created: nowSeconds(), id: json.id, data, metadata: json.metadata });
}
