import { asNumber, asObject, asObjects, asString, type Json, type JsonObject } from '../../json.ts';
import { servedTier } from '../chat/usage.ts';
import { lookup } from '../lookup.ts';
import type { Usage } from '../neutral.ts';
import { present } from '../present.ts';
import type { UsageRule } from '../usage-meter.ts';
import { picturesIn, readPictures } from './pictures.ts';

/** Counts come with the finished response, whole or in the last event of a stream. */
export const usageRule: UsageRule = {
  countsOf(json) {
    const response = responseIn(json);
    const usage = asObject(response.usage);
    const uses = usage === undefined ? undefined : (usesTold(usage) ?? toolUses(response));
    if (uses === undefined) return usage;
    const made = uses[pictureTool] === undefined ? undefined : picturesIn(response);
    return { ...usage, [used]: uses, ...(made === undefined ? {} : { [pictures]: made }) };
  },
  read: readUsage,
  closes: (json) => finishOf(json) !== undefined,
  finishOf,
  modelOf: (json) => asString(responseIn(json).model),
  tierOf: (json) => servedTier(responseIn(json).service_tier),
};

/** Under this name the uses of tools stand among the counts. */
const used = 'server_tool_use';
/** And under this one the pictures that a tool has made. */
const pictures = 'generated_pictures';
const pictureTool = 'image_generation';

/** Token counts of a whole response, or of the event that carries one. */
export function usageOf(json: JsonObject): Usage | undefined {
  return readUsage(usageRule.countsOf(json));
}

function responseIn(json: JsonObject): JsonObject {
  return asObject(json.response) ?? json;
}

function finishOf(json: JsonObject): string | undefined {
  const status = asString(responseIn(json).status);
  return status === 'in_progress' || status === 'queued' ? undefined : status;
}

/** Items of tools that the provider runs and bills by the use. */
const billed: Readonly<Record<string, string>> = {
  web_search_call: 'web_search',
  file_search_call: 'file_search',
  code_interpreter_call: 'code_interpreter',
  image_generation_call: pictureTool,
};

/** Some hosts count what they bill themselves, tools without an item among them: https://docs.x.ai/developers/cost-tracking */
function usesTold(usage: JsonObject): JsonObject | undefined {
  const told = asObject(usage.server_side_tool_usage_details);
  return told && Object.fromEntries(Object.entries(told).filter(([name]) => name.endsWith('_calls')));
}

function toolUses(response: JsonObject): { readonly [tool: string]: number } | undefined {
  let uses: { [tool: string]: number } | undefined;
  for (const { type, action } of asObjects(response.output)) {
    const tool = lookup(billed, asString(type) ?? '');
    if (tool === undefined || opensPage(action)) continue;
    uses ??= {};
    uses[tool] = (uses[tool] ?? 0) + 1;
  }
  return uses;
}

/** To open a page that was found, or to look into it, is no search. */
function opensPage(action: Json | undefined): boolean {
  const type = asObject(action)?.type;
  return type === 'open_page' || type === 'find_in_page' || type === 'find';
}

export function readUsage(value: Json | undefined): Usage | undefined {
  const usage = asObject(value);
  const input = asNumber(usage?.input_tokens);
  const output = asNumber(usage?.output_tokens);
  if (usage === undefined || (input === undefined && output === undefined)) return undefined;
  const inputDetails = asObject(usage.input_tokens_details);
  const outputDetails = asObject(usage.output_tokens_details);
  const tools = asObject(usage[used]) as Usage['serverTools'];
  return present<Usage>({
    input: input ?? 0,
    output: output ?? 0,
    total: asNumber(usage.total_tokens),
    cacheRead: asNumber(inputDetails?.cached_tokens),
    cacheWrite: asNumber(inputDetails?.cache_write_tokens),
    reasoning: asNumber(outputDetails?.reasoning_tokens),
    audioInput: asNumber(inputDetails?.audio_tokens),
    audioOutput: asNumber(outputDetails?.audio_tokens),
    imageInput: asNumber(inputDetails?.image_tokens),
    imageOutput: asNumber(outputDetails?.image_tokens),
    serverTools: tools,
    images: readPictures(asObject(usage[pictures]), pictureTool),
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
