import { asNumber, asObject, compact, type JsonObject, type Usage } from 'portcullis/sdk';

/** The tokens of one answer of a session, by the `usage` of its `response.done` event. */
export function realtimeUsage(response: JsonObject): Usage | undefined {
  const usage = asObject(response.usage);
  const input = asNumber(usage?.input_tokens);
  const output = asNumber(usage?.output_tokens);
  if (usage === undefined || input === undefined || output === undefined) return undefined;
  const read = asObject(usage.input_token_details) ?? {};
  const written = asObject(usage.output_token_details) ?? {};
  const cached = asObject(read.cached_tokens_details) ?? {};
  return compact({
    input,
    output,
    total: asNumber(usage.total_tokens),
    cacheRead: asNumber(read.cached_tokens),
    cacheReadAudio: asNumber(cached.audio_tokens),
    cacheReadImage: asNumber(cached.image_tokens),
    audioInput: asNumber(read.audio_tokens),
    imageInput: asNumber(read.image_tokens),
    audioOutput: asNumber(written.audio_tokens),
  }) as unknown as Usage;
}
