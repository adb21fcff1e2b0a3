import { asNumber, asObject, asObjects, compact, type JsonObject } from '../../json.ts';
import type { Usage } from '../neutral.ts';

/** Token counts of a reply or chunk. The API counts thoughts beside the candidates, and results of its own tools beside the prompt. */
export function usageOf(json: JsonObject): Usage | undefined {
  const meta = asObject(json.usageMetadata);
  if (meta === undefined) return undefined;
  const count = (key: string): number => asNumber(meta[key]) ?? 0;
  const total = asNumber(meta.totalTokenCount);
  const cacheRead = asNumber(meta.cachedContentTokenCount);
  const reasoning = asNumber(meta.thoughtsTokenCount);
  const audioInput = audioIn(meta, 'promptTokensDetails') + audioIn(meta, 'toolUsePromptTokensDetails');
  const audioOutput = audioIn(meta, 'candidatesTokensDetails');
  const searches = searchesIn(json);
  return {
    input: count('promptTokenCount') + count('toolUsePromptTokenCount'),
    output: count('candidatesTokenCount') + count('thoughtsTokenCount'),
    ...(total === undefined ? {} : { total }),
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(audioInput === 0 ? {} : { audioInput }),
    ...(audioOutput === 0 ? {} : { audioOutput }),
    ...(searches === 0 ? {} : { serverTools: { webSearchQueries: searches } }),
  };
}

function audioIn(meta: JsonObject, key: string): number {
  const details = asObjects(meta[key]).filter((detail) => detail.modality === 'AUDIO');
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
