import type { ReplyFacts, TypedBytes } from '../../contracts/provider.ts';
import { GatewayError } from '../../errors.ts';
import { asNumber, asObject, asObjects, asString, compact, type JsonObject } from '../../json.ts';
import { wordAsCode } from './faults.ts';
import { unknownFields } from './unknown-fields.ts';

/** Fields of speech requests without a place here. */
export const speechDrops = ['speed', 'stream_format'] as const;

const known: ReadonlySet<string> = new Set([
  'model',
  'input',
  'voice',
  'instructions',
  'response_format',
  'language_code',
]);

/**
 * The `:generateContent` body of a speech request. Fields that are not OpenAI's go to `generationConfig`, in camel case. The sound comes as 16-bit PCM, which is given as `pcm` or, with a
 * header, as `wav`: the default where none is asked for.
 * Source: the types of https://github.com/googleapis/js-genai (`SpeechConfig`).
 * @throws GatewayError `bad_request` for formats that would need an encoder
 */
export function contentSpeech(body: JsonObject): JsonObject {
  const format = body.response_format;
  if (format !== undefined && format !== 'wav' && format !== 'pcm') {
    throw new GatewayError('bad_request', 'This provider speaks in the formats wav and pcm alone.', {
      param: 'response_format',
    });
  }
  const instructions = asString(body.instructions);
  const input = asString(body.input) ?? '';
  const voiceName = asString(body.voice) ?? asString(asObject(body.voice)?.id);
  const voiceConfig = voiceName === undefined ? undefined : { prebuiltVoiceConfig: { voiceName } };
  return {
    contents: [{ role: 'user', parts: [{ text: instructions === undefined ? input : `${instructions}\n\n${input}` }] }],
    generationConfig: {
      ...unknownFields(body, known),
      responseModalities: ['AUDIO'],
      speechConfig: compact({ voiceConfig, languageCode: body.language_code }),
    },
  };
}

/** A reply with its token counts, what was spoken as sound, where it can be charged by them; an error with its word as code. */
export function spokenReply(json: JsonObject): JsonObject {
  const meta = asObject(json.usageMetadata);
  if (meta === undefined) return wordAsCode(json);
  const prompt_tokens = asNumber(meta.promptTokenCount) ?? 0;
  const completion_tokens = asNumber(meta.candidatesTokenCount) ?? 0;
  const usage = {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    completion_tokens_details: { audio_tokens: completion_tokens },
  };
  return { ...json, usage };
}

/** The sound of a reply. For `unwrap`. @throws GatewayError `upstream_invalid` where it holds none */
export function spokenBytes(json: JsonObject, { asked }: Pick<ReplyFacts, 'asked'>): TypedBytes {
  const parts = asObjects(json.candidates).flatMap((candidate) => asObjects(asObject(candidate.content)?.parts));
  const sounds = parts.map((part) => asObject(part.inlineData)).filter((data) => data !== undefined);
  if (sounds.length === 0) throw new GatewayError('upstream_invalid', 'The reply of the provider holds no sound.');
  const bytes = Buffer.concat(sounds.map(({ data }) => Buffer.from(asString(data) ?? '', 'base64')));
  const type = asString(sounds[0]?.mimeType) ?? 'audio/L16;rate=24000';
  if (!/^audio\/(l16|pcm)/i.test(type)) return { contentType: type, bytes };
  if (asked.response_format === 'pcm') return { contentType: 'audio/pcm', bytes };
  const rate = Number(/rate=(\d+)/i.exec(type)?.[1] ?? 24_000);
  return { contentType: 'audio/wav', bytes: Buffer.concat([waveHeader(bytes.length, rate), bytes]) };
}

/** RIFF header of 16-bit mono PCM: http://soundfile.sapp.org/doc/WaveFormat/ */
function waveHeader(size: number, rate: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + size, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(size, 40);
  return header;
}
