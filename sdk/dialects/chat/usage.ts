import { asNumber, asObject, asObjects, asString, compact, type Json, type JsonObject } from '../../json.ts';
import type { Usage } from '../neutral.ts';
import { present } from '../present.ts';
import type { UsageRule } from '../usage-meter.ts';

/**
 * Counts of the chat, completions and embeddings formats: in a chunk of their own without choices, with the last chunk that
 * has some, or as running totals in each.
 */
export const usageRule: UsageRule = {
  countsOf: (json) => asObject(json.usage),
  read: readUsage,
  closes: ({ choices }) => !Array.isArray(choices) || choices.length === 0,
  finished: ({ choices }) => {
    if (!Array.isArray(choices) || choices.length === 0) return nobody;
    return asObjects(choices).flatMap((choice, place) => {
      const word = asString(choice.finish_reason);
      return word === undefined || word === '' ? [] : [[asNumber(choice.index) ?? place, word] as const];
    });
  },
  modelOf: (json) => asString(json.model),
  tierOf: (json) => servedTier(json.service_tier),
};

const nobody: readonly [] = [];

/** `auto` is what a request asks for, and no tier that anything is served with. */
export function servedTier(value: Json | undefined): string | undefined {
  const tier = asString(value);
  return tier === 'auto' ? undefined : tier;
}

/**
 * Reads a `usage` object of the chat, completions and embeddings formats, with the names that compatible servers add.
 *
 * `prompt_tokens` includes cached tokens and `completion_tokens` includes reasoning in the official format. A server that
 * counts otherwise shows it by its own sums, and is put right here.
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const total = asNumber(usage.total_tokens);
  const prompt = asNumber(usage.prompt_tokens) ?? asNumber(usage.input_tokens);
  const completion = asNumber(usage.completion_tokens) ?? asNumber(usage.output_tokens);
  if (prompt === undefined && completion === undefined && total === undefined) return undefined;

  const promptDetails = asObject(usage.prompt_tokens_details) ?? asObject(usage.input_tokens_details) ?? none;
  const completionDetails = asObject(usage.completion_tokens_details) ?? asObject(usage.output_tokens_details) ?? none;
  const cacheRead =
    asNumber(promptDetails.cached_tokens) ??
    asNumber(usage.cache_read_input_tokens) ??
    asNumber(usage.prompt_cache_hit_tokens) ??
    asNumber(usage.cached_tokens);
  const cacheWrite = asNumber(promptDetails.cache_write_tokens) ?? asNumber(usage.cache_creation_input_tokens);
  const reasoning = asNumber(completionDetails.reasoning_tokens);

  const counts: { -readonly [Name in keyof Usage]: Usage[Name] } = {
    input: inputTokens(prompt ?? Math.max(0, (total ?? 0) - (completion ?? 0)), (cacheRead ?? 0) + (cacheWrite ?? 0)),
    output: outputTokens(prompt ?? 0, completion ?? 0, reasoning ?? 0, total),
  };
  // Most replies have no more than this: it is read for every request, so nothing is put together that is not there.
  if (total !== undefined) counts.total = total;
  return promptDetails === none && completionDetails === none && cacheRead === undefined && cacheWrite === undefined
    ? withServerTools(counts, usage)
    : present<Usage>({
        ...withServerTools(counts, usage),
        cacheRead,
        cacheWrite,
        cacheWrite1h: asNumber(asObject(usage.cache_creation)?.ephemeral_1h_input_tokens),
        reasoning,
        audioInput: asNumber(promptDetails.audio_tokens),
        audioOutput: asNumber(completionDetails.audio_tokens),
        imageInput: asNumber(promptDetails.image_tokens),
        imageOutput: asNumber(completionDetails.image_tokens),
        acceptedPrediction: asNumber(completionDetails.accepted_prediction_tokens),
        rejectedPrediction: asNumber(completionDetails.rejected_prediction_tokens),
      });
}

const none: JsonObject = Object.freeze({});

function withServerTools(counts: Usage, usage: JsonObject): Usage {
  const { server_tool_use: used, num_sources_used: sources } = usage;
  const tools =
    used === undefined && sources === undefined
      ? undefined
      : serverTools({ ...asObject(used), ...(sources === undefined ? {} : { num_sources_used: sources }) });
  return tools === undefined ? counts : { ...counts, serverTools: tools };
}

/** The `usage` object of a reply. Non-strict adds the cache counts under the names that clients of other formats read. */
export function writeUsage(usage: Usage, strict: boolean): JsonObject {
  return compact({
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.total ?? usage.input + usage.output,
    prompt_tokens_details: unlessEmpty({
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      audio_tokens: usage.audioInput,
    }),
    completion_tokens_details: unlessEmpty({
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.audioOutput,
      accepted_prediction_tokens: usage.acceptedPrediction,
      rejected_prediction_tokens: usage.rejectedPrediction,
    }),
    cache_read_input_tokens: strict ? undefined : usage.cacheRead,
    cache_creation_input_tokens: strict ? undefined : usage.cacheWrite,
    cache_creation:
      strict || usage.cacheWrite1h === undefined ? undefined : { ephemeral_1h_input_tokens: usage.cacheWrite1h },
    server_tool_use: strict || usage.serverTools === undefined ? undefined : { ...usage.serverTools },
  });
}

// More cached tokens than prompt tokens is only possible when the prompt count leaves the cache out.
function inputTokens(prompt: number, cached: number): number {
  return cached > prompt ? prompt + cached : prompt;
}

// Some servers leave reasoning out of the completion count; their own total gives them away.
function outputTokens(prompt: number, completion: number, reasoning: number, total: number | undefined): number {
  return reasoning > 0 && total === prompt + completion + reasoning ? completion + reasoning : completion;
}

function serverTools(value: Json | undefined): Readonly<Record<string, number>> | undefined {
  const uses = Object.entries(asObject(value) ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return uses.length === 0 ? undefined : Object.fromEntries(uses);
}

function unlessEmpty(fields: { readonly [key: string]: Json | undefined }): JsonObject | undefined {
  const kept = compact(fields);
  return Object.keys(kept).length === 0 ? undefined : kept;
}
