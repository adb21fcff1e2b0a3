import {
  asObjects,
  asString,
  compact,
  type Flow,
  fileDataUrl,
  GatewayError,
  type JsonObject,
  omit,
} from 'portcullis/sdk';

const ofForms: ReadonlySet<string> = new Set(['model', 'response_format', 'timestamp_granularities[]']);

/**
 * Sound is sent inside JSON: https://docs.reka.ai/speech. Its rate must be told, as `sampling_rate` in Hz; 16000 where the
 * client does not. Translations go into the language that `target_language` names.
 */
export const heard =
  (translated: boolean): Flow =>
  async ({ body, files: [file] }, tools) => {
    if (file === undefined) throw new GatewayError('bad_request', 'file is missing.', { param: 'file' });
    const { sampling_rate, temperature, max_tokens, ...rest } = omit(body, ofForms);
    const numbers = { sampling_rate: sampling_rate ?? 16_000, temperature, max_tokens };
    const known = Object.entries(numbers).filter(([, value]) => value !== undefined);
    const { status, json } = await tools.send({
      method: 'POST',
      url: '/transcription_or_translation',
      body: {
        ...rest,
        audio_url: await fileDataUrl(file),
        ...Object.fromEntries(known.map(([name, value]) => [name, Number(value)])),
        ...(translated ? { is_translate: true } : {}),
      },
    });
    return { status, json: textOf(json, translated) };
  };

function textOf(json: JsonObject, translated: boolean): JsonObject {
  const text = translated ? (asString(json.translation) ?? asString(json.transcript)) : asString(json.transcript);
  const segments = asObjects(json.transcript_translation_with_timestamp).map(({ start, end, transcript }, id) =>
    compact({ id, start, end, text: transcript }),
  );
  return { text: text ?? '', ...(segments.length === 0 ? {} : { segments }) };
}
