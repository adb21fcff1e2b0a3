import {
  asNumber,
  asObject,
  asString,
  compact,
  GatewayError,
  type Json,
  type JsonObject,
  omit,
  provider,
  schema,
  secret,
  setting,
} from 'portcullis/sdk';

/**
 * Source: https://docs.cartesia.ai/api-reference/tts/bytes and https://docs.cartesia.ai/api-reference/stt/transcribe. The voice
 * is the id of one; answers follow the version that a header names.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'CARTESIA_API_KEY' }),
    cartesiaVersion: schema.Optional(
      setting({ header: 'cartesia-version', pattern: '^\\d{4}-\\d{2}-\\d{2}$', default: '2026-03-01' }),
    ),
  }),
  base: 'https://api.cartesia.ai',
  auth: { kind: 'bearer', from: 'apiKey' },
  headers: ({ settings }) => ({ 'cartesia-version': asString(settings.cartesiaVersion) ?? '2026-03-01' }),
  endpoints: {
    createSpeech: { path: '/tts/bytes', dialect: 'speech', reply: 'bytes', request: spoken, repair: faultIn },
    createTranscription: { path: '/stt', dialect: 'transcriptions', repair: faultIn },
    proxy: { path: '' },
  },
});

const formats: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['mp3', { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 }],
  ['wav', { container: 'wav', encoding: 'pcm_s16le', sample_rate: 24_000 }],
  ['pcm', { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 }],
]);

const read: ReadonlySet<string> = new Set(['model', 'input', 'voice', 'response_format', 'speed']);

/** What the client names as the provider does wins. */
function spoken(body: JsonObject): JsonObject {
  const { model, input, voice } = body;
  const speed = asNumber(body.speed);
  return compact({
    model_id: model,
    transcript: input,
    voice: typeof voice === 'string' ? { mode: 'id', id: voice } : voice,
    output_format: body.output_format ?? formatOf(body.response_format),
    generation_config: speed === undefined ? undefined : { speed },
    ...omit(body, read),
  });
}

function formatOf(name: Json | undefined): JsonObject {
  const format = formats.get(asString(name) ?? 'mp3');
  if (format !== undefined) return format;
  const text = `response_format may be ${[...formats.keys()].join(', ')} here, or output_format says more.`;
  throw new GatewayError('translation_unsupported', text, { param: 'response_format' });
}

/** `{ error_code, title, message, request_id }`. */
function faultIn(json: JsonObject): JsonObject {
  const message = asString(json.message) ?? asString(json.title);
  if (asObject(json.error) !== undefined || message === undefined || json.request_id === undefined) return json;
  return { error: compact({ message, code: asString(json.error_code) }) };
}
