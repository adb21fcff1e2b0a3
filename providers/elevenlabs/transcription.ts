import {
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  GatewayError,
  type JsonObject,
  omit,
  type ReplyFacts,
  type TypedBytes,
} from 'portcullis/sdk';

const types: ReadonlyMap<string, string> = new Map([
  ['json', 'application/json; charset=utf-8'],
  ['verbose_json', 'application/json; charset=utf-8'],
  ['text', 'text/plain; charset=utf-8'],
  ['srt', 'application/x-subrip; charset=utf-8'],
  ['vtt', 'text/vtt; charset=utf-8'],
]);

const read: ReadonlySet<string> = new Set(['response_format', 'timestamp_granularities', 'timestamp_granularities[]']);

/** The fields of the form; subtitles are one more format that is asked for beside the text. */
export function formOf(body: JsonObject): JsonObject {
  const format = asString(body.response_format) ?? 'json';
  if (!types.has(format)) {
    const text = `response_format may be ${[...types.keys()].join(', ')} here.`;
    throw new GatewayError('translation_unsupported', text, { param: 'response_format' });
  }
  const subtitles = format === 'srt' || format === 'vtt';
  return compact({
    ...omit(body, read),
    additional_formats: subtitles ? JSON.stringify([{ format: 'srt' }]) : body.additional_formats,
  });
}

/** `{ detail: { status, message } }`, or a list of what is wrong. */
export function faultIn(json: JsonObject): JsonObject {
  const detail = asObject(json.detail);
  const message = asString(detail?.message);
  return message === undefined ? json : { error: compact({ message, code: asString(detail?.status) }) };
}

/** `{ text, language_code, words: [{ text, start, end, type }] }`, or `transcripts` of the same by channels. */
export function repaired(json: JsonObject, { asked }: ReplyFacts): JsonObject {
  const parts = Array.isArray(json.transcripts) ? asObjects(json.transcripts) : [json];
  if (!parts.every(({ text }) => typeof text === 'string')) return faultIn(json);
  const text = parts.map((part) => asString(part.text) ?? '').join('\n');
  const words = parts.flatMap((part) => asObjects(part.words)).filter(({ type }) => type === 'word');
  const duration = asNumber(json.audio_duration_secs) ?? asNumber(words.at(-1)?.end);
  const usage = duration === undefined ? undefined : { type: 'duration', seconds: Math.ceil(duration) };
  const format = asString(asked.response_format) ?? 'json';
  if (format === 'json') return compact({ text, usage });
  const subtitles = asString(asObjects(json.additional_formats)[0]?.content);
  if (format !== 'verbose_json') return compact({ text, subtitles, usage });
  const language = asString(parts[0]?.language_code);
  const named = words.map(({ text: word, start, end, speaker_id: speaker }) =>
    compact({ word, start, end, speaker: speaker ?? undefined }),
  );
  return compact({ task: 'transcribe', language, duration, text, words: named, usage });
}

export function typedReply(json: JsonObject, { asked }: ReplyFacts): TypedBytes {
  const format = asString(asked.response_format) ?? 'json';
  const contentType = types.get(format) ?? 'application/json; charset=utf-8';
  return { contentType, bytes: Buffer.from(contentOf(json, format)) };
}

function contentOf(json: JsonObject, format: string): string {
  if (format === 'text') return `${asString(json.text) ?? ''}\n`;
  if (format !== 'srt' && format !== 'vtt') return JSON.stringify(json);
  const subtitles = asString(json.subtitles);
  if (subtitles === undefined) throw new GatewayError('upstream_invalid', 'The reply holds no subtitles.');
  if (format === 'srt') return subtitles;
  const cues = subtitles.replace(/^(\d+:\d\d:\d\d),(\d{3}) --> (\d+:\d\d:\d\d),(\d{3})/gm, '$1.$2 --> $3.$4');
  return `WEBVTT\n\n${cues}`;
}
