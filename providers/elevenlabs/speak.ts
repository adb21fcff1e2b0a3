import {
  asNumber,
  asObject,
  asString,
  compact,
  type Flow,
  GatewayError,
  type JsonObject,
  omit,
  pathSegment,
} from 'portcullis/sdk';

/** Formats of the shared form; the provider's own, such as `mp3_22050_32`, are taken as they are. */
const formats: ReadonlyMap<string, string> = new Map([
  ['mp3', 'mp3_44100_128'],
  ['opus', 'opus_48000_128'],
  ['pcm', 'pcm_24000'],
  ['wav', 'wav_44100'],
]);

const own = /^(alaw|mp3|opus|pcm|ulaw|wav)_\d+(_\d+)?$/;

/** The voice is a part of the path; the sound flows to the client as it comes. */
export const speak: Flow = async ({ facts, body }, tools) => {
  const voice = asString(body.voice) ?? asString(asObject(body.voice)?.id) ?? '';
  const query = new URLSearchParams({ output_format: formatOf(asString(body.response_format) ?? 'mp3') });
  const reply = await tools.open({
    method: 'POST',
    url: `/text-to-speech/${pathSegment(voice, 'voice')}?${query}`,
    body: spoken(body, facts.model),
  });
  const contentType = reply.headers['content-type'] ?? 'application/octet-stream';
  return { status: reply.status, contentType, body: reply.body };
};

function formatOf(name: string): string {
  const format = formats.get(name) ?? (own.test(name) ? name : undefined);
  if (format !== undefined) return format;
  const text = `response_format may be ${[...formats.keys()].join(', ')} here, or a name such as mp3_22050_32.`;
  throw new GatewayError('translation_unsupported', text, { param: 'response_format' });
}

const read: ReadonlySet<string> = new Set(['model', 'input', 'voice', 'response_format', 'speed', 'voice_settings']);

function spoken(body: JsonObject, model: string): JsonObject {
  const speed = asNumber(body.speed);
  const settings = { ...(speed === undefined ? {} : { speed }), ...asObject(body.voice_settings) };
  return compact({
    text: asString(body.input) ?? '',
    model_id: model || undefined,
    voice_settings: Object.keys(settings).length === 0 ? undefined : settings,
    ...omit(body, read),
  });
}
