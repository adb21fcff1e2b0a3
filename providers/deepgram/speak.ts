import { asString, type Flow, GatewayError, type Json, type JsonObject, omit } from 'portcullis/sdk';
import { queryOf } from './query.ts';

const read: ReadonlySet<string> = new Set([
  'model',
  'input',
  'voice',
  'response_format',
  'instructions',
  'stream_format',
]);

type Query = { readonly [name: string]: Json };

const formats: ReadonlyMap<string, Query> = new Map<string, Query>([
  ['mp3', { encoding: 'mp3' }],
  ['opus', { encoding: 'opus', container: 'ogg' }],
  ['aac', { encoding: 'aac' }],
  ['flac', { encoding: 'flac' }],
  ['wav', { encoding: 'linear16', container: 'wav' }],
  ['pcm', { encoding: 'linear16', container: 'none', sample_rate: 24_000 }],
]);

/** The sound flows to the client as it comes. */
export const speak: Flow = async ({ facts, body }, tools) => {
  const format = formats.get(asString(body.response_format) ?? 'mp3');
  if (format === undefined) {
    const text = `response_format may be ${[...formats.keys()].join(', ')} here.`;
    throw new GatewayError('translation_unsupported', text, { param: 'response_format' });
  }
  const query = queryOf({ model: modelOf(facts.model, body), ...format, ...omit(body, read) });
  const reply = await tools.open({
    method: 'POST',
    url: `/speak?${query}`,
    body: { text: asString(body.input) ?? '' },
  });
  return {
    status: reply.status,
    contentType: reply.headers['content-type'] ?? 'application/octet-stream',
    body: reply.body,
  };
};

/** Voices are models, such as `aura-2-thalia-en`: as the model, as the voice, or as `aura-2` with the voice `thalia`. */
function modelOf(model: string, { voice }: JsonObject): string {
  const named = asString(voice) ?? '';
  if (!/^aura(-\d+)?$/.test(model)) return model;
  if (named === '') return model;
  if (named.startsWith('aura')) return named;
  return named.includes('-') ? `${model}-${named}` : `${model}-${named}-en`;
}
