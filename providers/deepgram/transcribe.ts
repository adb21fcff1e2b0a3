import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type Flow,
  type FlowCall,
  type FlowRequest,
  type FlowResult,
  GatewayError,
  type JsonObject,
  omit,
} from 'portcullis/sdk';
import { channelsIn, queryOf } from './query.ts';
import { subtitles } from './subtitles.ts';

const formats: readonly string[] = ['json', 'verbose_json', 'text', 'srt', 'vtt'];

/** Sends the sound as it came, and brings the answer into the form that was asked for. */
export const transcribe: Flow = async (call, tools) => {
  const format = asString(call.body.response_format) ?? 'json';
  if (!formats.includes(format)) {
    const text = `response_format may be ${formats.join(', ')} here.`;
    throw new GatewayError('translation_unsupported', text, { param: 'response_format' });
  }
  const { json } = await tools.send(requestOf(call, format));
  return resultOf(json, call.body, format);
};

/** Fields of the shared format with no counterpart: they steer another kind of model. */
const read: ReadonlySet<string> = new Set([
  'model',
  'file',
  'url',
  'response_format',
  'prompt',
  'temperature',
  'stream',
  'timestamp_granularities',
  'timestamp_granularities[]',
]);

function requestOf({ facts, body, files }: FlowCall, format: string): FlowRequest {
  const options = omit(body, read);
  const query = queryOf({
    model: facts.model || undefined,
    // As in the shared format: sentences with their marks, in whichever language they are.
    smart_format: options.punctuate === undefined ? true : undefined,
    detect_language: options.language === undefined ? true : undefined,
    utterances: format === 'json' || format === 'text' ? undefined : true,
    ...options,
  });
  const shared = { method: 'POST', url: `/listen?${query}` } as const;
  const [file] = files;
  if (file !== undefined) return { ...shared, headers: { 'content-type': file.contentType }, body: file };
  const url = asString(body.url);
  if (url === undefined)
    throw new GatewayError('bad_request', 'file is required: the sound to transcribe.', { param: 'file' });
  return { ...shared, body: { url } };
}

function resultOf(json: JsonObject, asked: JsonObject, format: string): FlowResult {
  const channels = channelsIn(json);
  if (channels.length === 0)
    throw new GatewayError('upstream_invalid', 'The reply holds no transcript: callbacks belong to the proxy.');
  const text = channels.map((channel) => asString(spoken(channel)?.transcript) ?? '').join('\n');
  const utterances = asObjects(asObject(json.results)?.utterances);
  if (format === 'text') return plain(`${text}\n`, 'text/plain; charset=utf-8');
  if (format === 'srt') return plain(subtitles(utterances, 'srt'), 'application/x-subrip; charset=utf-8');
  if (format === 'vtt') return plain(subtitles(utterances, 'vtt'), 'text/vtt; charset=utf-8');
  const duration = asNumber(asObject(json.metadata)?.duration);
  const usage = duration === undefined ? undefined : { type: 'duration', seconds: Math.ceil(duration) };
  if (format === 'json') return { status: 200, json: compact({ text, usage }) };
  const language = asString(channels[0]?.detected_language) ?? asString(asked.language);
  const details = { segments: segmentsOf(utterances), words: wordsOf(channels, asked) };
  return { status: 200, json: compact({ task: 'transcribe', language, duration, text, ...details, usage }) };
}

const spoken = (channel: JsonObject) => asObject(asArray(channel.alternatives)[0]);

function plain(text: string, contentType: string): FlowResult {
  return { status: 200, contentType, body: Buffer.from(text) };
}

function segmentsOf(utterances: readonly JsonObject[]): readonly JsonObject[] {
  return utterances.map(({ start, end, transcript, speaker }, id) =>
    compact({ id, start, end, text: transcript, speaker }),
  );
}

/** Only where they were asked for. */
function wordsOf(channels: readonly JsonObject[], asked: JsonObject): readonly JsonObject[] | undefined {
  const wanted = [asked.timestamp_granularities, asked['timestamp_granularities[]']].flat();
  if (!wanted.includes('word')) return undefined;
  return channels
    .flatMap((channel) => asObjects(spoken(channel)?.words))
    .map(({ word, punctuated_word, start, end, speaker }) =>
      compact({ word: punctuated_word ?? word, start, end, speaker }),
    );
}
