import {
  asNumber,
  asObjects,
  asString,
  compact,
  type Flow,
  type FlowCall,
  type FlowResult,
  type FlowTools,
  GatewayError,
  type Json,
  type JsonObject,
  omit,
} from 'portcullis/sdk';

const subtitleTypes: ReadonlyMap<string, string> = new Map([
  ['srt', 'application/x-subrip; charset=utf-8'],
  ['vtt', 'text/vtt; charset=utf-8'],
]);

const formats: readonly string[] = ['json', 'verbose_json', 'text', ...subtitleTypes.keys()];

export const transcribe: Flow = async (call, tools) => {
  const format = asString(call.body.response_format) ?? 'json';
  if (!formats.includes(format)) {
    const text = `response_format may be ${formats.join(', ')} here.`;
    throw new GatewayError('translation_unsupported', text, { param: 'response_format' });
  }
  const url = await soundUrl(call, tools);
  const asked = await tools.send({ method: 'POST', url: '/transcript', body: optionsOf(call, url) });
  const transcript = await finished(asked.json, tools);
  return resultOf(transcript, call.body, format, tools);
};

async function soundUrl({ body, files }: FlowCall, tools: FlowTools): Promise<string> {
  const [file] = files;
  const given = asString(body.audio_url);
  if (file === undefined && given !== undefined) return given;
  if (file === undefined)
    throw new GatewayError('bad_request', 'file is required: the sound to transcribe.', { param: 'file' });
  const headers = { 'content-type': 'application/octet-stream' };
  const { json } = await tools.send({ method: 'POST', url: '/upload', headers, body: file });
  const url = asString(json.upload_url);
  if (url !== undefined) return url;
  throw new GatewayError('upstream_invalid', 'The provider does not say where the sound was uploaded to.');
}

/** Fields of the shared format that are read, or that have no counterpart. */
const read: ReadonlySet<string> = new Set([
  'model',
  'file',
  'audio_url',
  'language',
  'response_format',
  'temperature',
  'stream',
  'timestamp_granularities',
  'timestamp_granularities[]',
]);

function optionsOf({ facts, body }: FlowCall, audioUrl: string): JsonObject {
  const options = Object.entries(omit(body, read)).map(([name, value]) => [name, typedValue(value)] as const);
  return compact({
    audio_url: audioUrl,
    speech_models: facts.model === '' ? undefined : [facts.model],
    language_code: body.language,
    // As in the shared format: without a language it is found out.
    language_detection: body.language === undefined ? true : undefined,
    ...Object.fromEntries(options),
  });
}

/** Options have types, and fields of a form are strings. */
function typedValue(value: Json): Json {
  if (value === 'true' || value === 'false') return value === 'true';
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

async function finished(created: JsonObject, tools: FlowTools): Promise<JsonObject> {
  let transcript = created;
  while (transcript.status === 'queued' || transcript.status === 'processing') {
    await tools.pause(1000);
    transcript = (await tools.send({ method: 'GET', url: placeOf(transcript) })).json;
  }
  if (transcript.status === 'completed') return transcript;
  const reason = asString(transcript.error) || 'no reason is given';
  throw new GatewayError('upstream_error', `The transcription failed: ${reason}`);
}

function placeOf({ id }: JsonObject): string {
  return `/transcript/${encodeURIComponent(asString(id) ?? '')}`;
}

async function resultOf(
  transcript: JsonObject,
  asked: JsonObject,
  format: string,
  tools: FlowTools,
): Promise<FlowResult> {
  const text = asString(transcript.text) ?? '';
  const subtitleType = subtitleTypes.get(format);
  if (subtitleType !== undefined) {
    const { bytes } = await tools.send({ method: 'GET', url: `${placeOf(transcript)}/${format}` });
    return { status: 200, contentType: subtitleType, body: bytes };
  }
  if (format === 'text')
    return { status: 200, contentType: 'text/plain; charset=utf-8', body: Buffer.from(`${text}\n`) };
  const duration = asNumber(transcript.audio_duration);
  const usage = duration === undefined ? undefined : { type: 'duration', seconds: Math.ceil(duration) };
  if (format === 'json') return { status: 200, json: compact({ text, usage }) };
  const { json } = await tools.send({ method: 'GET', url: `${placeOf(transcript)}/sentences` });
  const language = asString(transcript.language_code);
  const details = { segments: segmentsOf(json), words: wordsOf(transcript, asked) };
  return { status: 200, json: compact({ task: 'transcribe', language, duration, text, ...details, usage }) };
}

function segmentsOf({ sentences }: JsonObject): readonly JsonObject[] {
  return asObjects(sentences).map(({ text, speaker, ...times }, id) =>
    compact({ id, ...secondsAt(times), text, speaker: speaker ?? undefined }),
  );
}

/** Only where they were asked for. */
function wordsOf({ words }: JsonObject, asked: JsonObject): readonly JsonObject[] | undefined {
  const wanted = [asked.timestamp_granularities, asked['timestamp_granularities[]']].flat();
  if (!wanted.includes('word')) return undefined;
  return asObjects(words).map(({ text, speaker, ...times }) =>
    compact({ word: text, ...secondsAt(times), speaker: speaker ?? undefined }),
  );
}

/** Times are in milliseconds there. */
function secondsAt({ start, end }: JsonObject): { readonly start: number; readonly end: number } {
  return { start: (asNumber(start) ?? 0) / 1000, end: (asNumber(end) ?? 0) / 1000 };
}
