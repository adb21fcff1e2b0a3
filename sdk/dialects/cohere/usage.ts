import { asNumber, asObject, asString, compact, type JsonObject } from '../../json.ts';
import type { Usage } from '../neutral.ts';
import type { UsageRule } from '../usage-meter.ts';

/** Counts come once: with a whole reply, or in the `message-end` of a stream. */
export const usageRule: UsageRule = {
  countsOf: countsIn,
  read: readUsage,
  closes: () => true,
  finishOf: (json) => asString(json.finish_reason) ?? asString(asObject(json.delta)?.finish_reason),
  tierOf: () => undefined,
};

/** Token counts of a whole reply or of `message-end`. */
export function usageOf(json: JsonObject): Usage | undefined {
  const counts = countsIn(json);
  return counts === undefined ? undefined : readUsage(counts);
}

function countsIn(json: JsonObject): JsonObject | undefined {
  return asObject(json.usage) ?? asObject(asObject(json.delta)?.usage);
}

/**
 * `tokens` is what the model read and wrote; `billed_units`, which leaves out the provider's own prompt, is what is paid, and
 * stands in where the other is not told.
 */
function readUsage(counts: JsonObject): Usage | undefined {
  const billed = asObject(counts.billed_units);
  const tokens = asObject(counts.tokens);
  const [billedInput, billedOutput] = [asNumber(billed?.input_tokens), asNumber(billed?.output_tokens)];
  const input = asNumber(tokens?.input_tokens) ?? billedInput;
  const output = asNumber(tokens?.output_tokens) ?? billedOutput;
  const cacheRead = asNumber(counts.cached_tokens);
  const searches = asNumber(billed?.search_units);
  if (input === undefined && output === undefined && searches === undefined) return undefined;
  const paid = { input: billedInput ?? input ?? 0, output: billedOutput ?? output ?? 0 };
  const differs = paid.input !== (input ?? 0) || paid.output !== (output ?? 0);
  return {
    input: input ?? 0,
    output: output ?? 0,
    ...(differs ? { billed: paid } : {}),
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(searches === undefined ? {} : { serverTools: { search_units: searches } }),
  };
}

export function encodeUsage(usage: Usage): JsonObject {
  const { input, output, cacheRead, billed = usage } = usage;
  const searches = usage.serverTools?.search_units;
  return compact({
    billed_units: compact({ input_tokens: billed.input, output_tokens: billed.output, search_units: searches }),
    tokens: { input_tokens: input, output_tokens: output },
    cached_tokens: cacheRead,
  });
}
