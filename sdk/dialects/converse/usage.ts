import { asNumber, asObject, asObjects, asString, compact, type JsonObject } from '../../json.ts';
import type { Usage } from '../neutral.ts';
import type { UsageRule } from '../usage-meter.ts';

/** The counts come once: with a whole reply, or with the `metadata` event, which is the last of a stream. */
export const usageRule: UsageRule = {
  countsOf: (json) => asObject(json.usage),
  read: readUsage,
  closes: (json) => asObject(json.usage) !== undefined,
  finishOf: (json) => asString(json.stopReason),
  tierOf,
};

export function usageOf(json: JsonObject): Usage | undefined {
  const counts = asObject(json.usage);
  return counts === undefined ? undefined : readUsage(counts);
}

export function tierOf(json: JsonObject): string | undefined {
  return asString(asObject(json.serviceTier)?.type);
}

/** `inputTokens` of this format leaves out what the cache read and wrote. */
function readUsage(counts: JsonObject): Usage | undefined {
  const read = asNumber(counts.cacheReadInputTokens);
  const write = asNumber(counts.cacheWriteInputTokens);
  const total = asNumber(counts.totalTokens);
  const hour = writtenForAnHour(counts);
  const input = (asNumber(counts.inputTokens) ?? 0) + (read ?? 0) + (write ?? 0);
  const output = asNumber(counts.outputTokens) ?? 0;
  return {
    input,
    output,
    // It may leave out the cache too.
    ...(total === undefined ? {} : { total: Math.max(total, input + output) }),
    ...(read === undefined ? {} : { cacheRead: read }),
    ...(write === undefined ? {} : { cacheWrite: write }),
    ...(hour === 0 ? {} : { cacheWrite1h: hour }),
  };
}

function writtenForAnHour(counts: JsonObject): number {
  const details = asObjects(counts.cacheDetails).filter(({ ttl }) => ttl === '1h');
  return details.reduce((sum, { inputTokens }) => sum + (asNumber(inputTokens) ?? 0), 0);
}

export function encodeUsage(usage: Usage): JsonObject {
  const { input, output, total, cacheRead, cacheWrite, cacheWrite1h } = usage;
  return compact({
    inputTokens: Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    outputTokens: output,
    totalTokens: total ?? input + output,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
    cacheDetails: cacheWrite1h === undefined ? undefined : [{ ttl: '1h', inputTokens: cacheWrite1h }],
  });
}
