import { asNumber, asObject, type Json, type JsonObject } from '../../json.ts';
import type { Usage } from '../neutral.ts';
import { present } from '../present.ts';

/** Token counts of a whole response, or of the event that carries one. */
export function usageOf(json: JsonObject): Usage | undefined {
  return readUsage(json.usage) ?? readUsage(asObject(json.response)?.usage);
}

export function readUsage(value: Json | undefined): Usage | undefined {
  const usage = asObject(value);
  const input = asNumber(usage?.input_tokens);
  const output = asNumber(usage?.output_tokens);
  if (usage === undefined || (input === undefined && output === undefined)) return undefined;
  const inputDetails = asObject(usage.input_tokens_details);
  const outputDetails = asObject(usage.output_tokens_details);
  return present<Usage>({
    input: input ?? 0,
    output: output ?? 0,
    total: asNumber(usage.total_tokens),
    cacheRead: asNumber(inputDetails?.cached_tokens),
    cacheWrite: asNumber(inputDetails?.cache_write_tokens),
    reasoning: asNumber(outputDetails?.reasoning_tokens),
    audioInput: asNumber(inputDetails?.audio_tokens),
    audioOutput: asNumber(outputDetails?.audio_tokens),
  });
}

export function writeUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0, cache_write_tokens: usage.cacheWrite ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: usage.total ?? usage.input + usage.output,
  };
}
