import { asObject, type JsonObject } from '../json.ts';

/** A body of the chat or the completions format with the question for the token counts of its stream. */
export function askingUsage(body: JsonObject): JsonObject {
  return { ...body, stream_options: { ...asObject(body.stream_options), include_usage: true } };
}
