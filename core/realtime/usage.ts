import { asNumber, asObject, type JsonObject, type Usage } from 'portcullis/sdk';

type Counts = { -readonly [name in keyof Usage]: Usage[name] };

/**
 * The tokens of one answer of a session, by the `usage` of its `response.done` event, or of a transcription, by that of its
 * own, which for some models is a number of seconds. Undefined: nothing is told.
 */
export function realtimeUsage({ usage: told }: JsonObject): Usage | undefined {
  const usage = asObject(told);
  if (usage === undefined) return undefined;
  const seconds = count(usage.seconds);
  if (usage.type === 'duration' && seconds !== undefined) {
    return { input: 0, output: 0, total: 0, serverTools: { audio_seconds: Math.ceil(seconds) } };
  }
  const input = count(usage.input_tokens);
  const output = count(usage.output_tokens);
  if (input === undefined || output === undefined) return undefined;
  const read = asObject(usage.input_token_details) ?? {};
  const written = asObject(usage.output_token_details) ?? {};
  const cached = asObject(read.cached_tokens_details) ?? {};
  const counts: Counts = { input, output };
  const add = (name: 'total' | (typeof parts)[number], value: JsonObject[string] | undefined) => {
    const amount = count(value);
    if (amount !== undefined) counts[name] = amount;
  };
  add('total', usage.total_tokens);
  add('cacheRead', read.cached_tokens);
  add('cacheReadAudio', cached.audio_tokens);
  add('cacheReadImage', cached.image_tokens);
  add('audioInput', read.audio_tokens);
  add('imageInput', read.image_tokens);
  add('audioOutput', written.audio_tokens);
  return counts;
}

const parts = ['cacheRead', 'cacheReadAudio', 'cacheReadImage', 'audioInput', 'imageInput', 'audioOutput'] as const;

function count(value: JsonObject[string] | undefined): number | undefined {
  const amount = asNumber(value);
  return amount !== undefined && Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}
