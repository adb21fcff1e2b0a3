import { asNumber, asObject, asObjects, asString, compact, type JsonObject } from '../../json.ts';
import { lookup } from '../lookup.ts';
import type { Usage } from '../neutral.ts';
import type { UsageRule } from '../usage-meter.ts';

/** Counts are repeated in each chunk, and grow; the searches stand with the candidate, in one chunk alone. */
export const usageRule: UsageRule = {
  countsOf(json) {
    const meta = asObject(json.usageMetadata);
    const searches = searchesIn(json);
    return searches === 0 ? meta : { ...meta, [searched]: searches };
  },
  read: readUsage,
  closes: (json) => asString(asObject(json.promptFeedback)?.blockReason) !== undefined,
  finished: (json) =>
    asObjects(json.candidates).flatMap((candidate, place) => {
      const word = asString(candidate.finishReason);
      return word === undefined ? [] : [[asNumber(candidate.index) ?? place, word] as const];
    }),
  modelOf: (json) => asString(json.modelVersion),
  tierOf,
};

/** Under this name the searches stand among the counts. */
const searched = 'webSearchQueries';

/** Token counts of a reply or chunk. */
export function usageOf(json: JsonObject): Usage | undefined {
  const counts = usageRule.countsOf(json);
  return counts === undefined ? undefined : readUsage(counts);
}

/** Google Cloud tells the tier as a kind of traffic. */
export function tierOf(json: JsonObject): string | undefined {
  const meta = asObject(json.usageMetadata);
  return asString(meta?.serviceTier) ?? lookup(traffic, asString(meta?.trafficType) ?? '');
}

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/priority-paygo; other kinds have no prices of their own. */
const traffic: Readonly<Record<string, string>> = { ON_DEMAND_FLEX: 'flex', ON_DEMAND_PRIORITY: 'priority' };

/** The API counts thoughts beside the candidates, and results of its own tools beside the prompt. */
function readUsage(meta: JsonObject): Usage | undefined {
  const count = (key: string): number => asNumber(meta[key]) ?? 0;
  const total = asNumber(meta.totalTokenCount);
  const cacheRead = asNumber(meta.cachedContentTokenCount);
  const reasoning = asNumber(meta.thoughtsTokenCount);
  const searches = count(searched);
  return {
    input: count('promptTokenCount') + count('toolUsePromptTokenCount'),
    output: count('candidatesTokenCount') + count('thoughtsTokenCount'),
    ...(total === undefined ? {} : { total }),
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...partsOf(meta),
    ...(searches === 0 ? {} : { serverTools: { webSearchQueries: searches } }),
  };
}

const promptDetails = ['promptTokensDetails', 'toolUsePromptTokensDetails'];

/** What of the counts is no text: the modality, and where it is told. */
const modalParts = [
  ['audioInput', 'AUDIO', promptDetails],
  ['audioOutput', 'AUDIO', ['candidatesTokensDetails']],
  ['imageInput', 'IMAGE', promptDetails],
  ['imageOutput', 'IMAGE', ['candidatesTokensDetails']],
  ['cacheReadAudio', 'AUDIO', ['cacheTokensDetails']],
  ['cacheReadImage', 'IMAGE', ['cacheTokensDetails']],
] as const;

function partsOf(meta: JsonObject): Partial<Usage> {
  const parts: { [part in (typeof modalParts)[number][0]]?: number } = {};
  for (const [part, modality, keys] of modalParts) {
    const tokens = keys.reduce((sum, key) => sum + modalityIn(meta, key, modality), 0);
    if (tokens > 0) parts[part] = tokens;
  }
  return parts;
}

function modalityIn(meta: JsonObject, key: string, modality: string): number {
  const details = asObjects(meta[key]).filter((detail) => detail.modality === modality);
  return details.reduce((sum, detail) => sum + (asNumber(detail.tokenCount) ?? 0), 0);
}

function searchesIn(json: JsonObject): number {
  let searches = 0;
  for (const candidate of asObjects(json.candidates)) {
    const queries = asObject(candidate.groundingMetadata)?.webSearchQueries;
    if (Array.isArray(queries)) searches += queries.length;
  }
  return searches;
}

export function encodeUsage(usage: Usage, serviceTier?: string): JsonObject {
  const { input, output, reasoning, audioInput, audioOutput } = usage;
  return compact({
    promptTokenCount: input,
    candidatesTokenCount: Math.max(0, output - (reasoning ?? 0)),
    totalTokenCount: usage.total ?? input + output,
    cachedContentTokenCount: usage.cacheRead,
    thoughtsTokenCount: reasoning,
    promptTokensDetails: modalities(input, audioInput),
    candidatesTokensDetails: modalities(output - (reasoning ?? 0), audioOutput),
    serviceTier,
  });
}

function modalities(all: number, audio: number | undefined): JsonObject[] | undefined {
  if (audio === undefined) return undefined;
  return [
    { modality: 'TEXT', tokenCount: Math.max(0, all - audio) },
    { modality: 'AUDIO', tokenCount: audio },
  ];
}
