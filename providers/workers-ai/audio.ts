import {
  asArray,
  asNumber,
  asObject,
  asString,
  type CallFacts,
  compact,
  type EndpointSpec,
  type FlowCall,
  type FlowResult,
  type FlowTools,
  type FormFile,
  GatewayError,
  type Json,
  type JsonObject,
  type TypedBytes,
} from 'portcullis/sdk';
import { inputOf, resultOf, runPath } from './run.ts';

/** Encoding and container by the format's name. */
const encodings: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['mp3', { encoding: 'mp3' }],
  ['aac', { encoding: 'aac' }],
  ['flac', { encoding: 'flac' }],
  ['opus', { encoding: 'opus', container: 'ogg' }],
  ['wav', { encoding: 'linear16', container: 'wav' }],
  ['pcm', { encoding: 'linear16', container: 'none' }],
]);

/** Source: https://developers.cloudflare.com/workers-ai/models/aura-1 and /melotts. */
export const createSpeech: EndpointSpec = {
  path: runPath,
  dialect: 'speech',
  accept: '*/*',
  params: { drop: ['instructions', 'speed', 'stream_format'] },
  request: spoken,
  repair: resultOf,
  unwrap: soundOf,
};

function spoken(body: JsonObject, { model }: CallFacts): JsonObject {
  const rest = inputOf(body, ['input', 'voice', 'response_format']);
  const text = asString(body.input) ?? '';
  if (model.includes('melotts')) return { prompt: text, ...rest };
  const format = asString(body.response_format) ?? 'mp3';
  return compact({ text, speaker: body.voice, ...(encodings.get(format) ?? { encoding: format }), ...rest });
}

function soundOf(json: JsonObject): TypedBytes {
  return { contentType: 'audio/mpeg', bytes: Buffer.from(asString(json.audio) ?? '', 'base64') };
}

/** Source: https://developers.cloudflare.com/workers-ai/models/whisper-large-v3-turbo, /whisper and /nova-3. */
export const createTranscription: EndpointSpec = {
  path: runPath,
  dialect: 'transcriptions',
  flow: (call, tools) => heard(call, tools, 'transcribe'),
};
export const createTranslation: EndpointSpec = {
  path: runPath,
  dialect: 'transcriptions',
  flow: (call, tools) => heard(call, tools, 'translate'),
};

async function heard(call: FlowCall, { send }: FlowTools, task: string): Promise<FlowResult> {
  const { body, facts, files } = call;
  const file = files.find(({ field }) => field === 'file');
  if (file === undefined) throw new GatewayError('bad_request', 'The form holds no file.', { param: 'file' });
  // The larger model takes JSON; the others take the sound itself, and translate nothing.
  const takesJson = facts.model.includes('whisper-large');
  if (task === 'translate' && !takesJson) {
    throw new GatewayError(
      'endpoint_unsupported',
      'This model does not translate: use @cf/openai/whisper-large-v3-turbo.',
    );
  }
  const url = runPath(facts);
  const { json } = takesJson
    ? await send({ method: 'POST', url, body: { audio: await base64Of(file), task, ...optionsOf(body) } })
    : await send({ method: 'POST', url, headers: { 'content-type': file.contentType }, body: file });
  const result = resultOf(json);
  const failed = asObject(result.error);
  if (failed !== undefined) throw new GatewayError('upstream_error', asString(failed.message) ?? 'It failed.');
  return replyOf(result, asString(body.response_format) ?? 'json', task);
}

const ownFields = ['file', 'language', 'prompt', 'response_format', 'stream', 'timestamp_granularities[]', 'include[]'];

function optionsOf(body: JsonObject): JsonObject {
  const { temperature: _, ...rest } = inputOf(body, ownFields);
  return compact({ language: body.language, initial_prompt: body.prompt, ...rest });
}

async function base64Of(file: FormFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return Buffer.concat(chunks).toString('base64');
}

function replyOf(result: JsonObject, format: string, task: string): FlowResult {
  const text = textOf(result);
  const info = asObject(result.transcription_info);
  const seconds = asNumber(info?.duration);
  if (format === 'text' || format === 'vtt') {
    const plain = format === 'vtt' ? (asString(result.vtt) ?? '') : text;
    return { status: 200, contentType: 'text/plain; charset=utf-8', body: Buffer.from(plain) };
  }
  if (format === 'srt') throw new GatewayError('translation_unsupported', 'This provider has no SRT; it has VTT.');
  const usage = seconds === undefined ? undefined : { type: 'duration', seconds: Math.ceil(seconds) };
  if (format !== 'verbose_json') return { status: 200, json: compact({ text, usage }) };
  const json = compact({
    task,
    language: asString(info?.language),
    duration: seconds,
    text,
    segments: numbered(result.segments),
    words: result.words,
    usage,
  });
  return { status: 200, json };
}

function textOf(result: JsonObject): string {
  const [channel] = asArray(asObject(result.results)?.channels);
  const [alternative] = asArray(asObject(channel)?.alternatives);
  return asString(result.text) ?? asString(asObject(alternative)?.transcript) ?? '';
}

function numbered(segments: Json | undefined): Json | undefined {
  return Array.isArray(segments) ? asArray(segments).map((segment, id) => ({ id, ...asObject(segment) })) : undefined;
}
