import { asNumber, asObject, asObjects, asString, compact, type JsonObject } from '../../json.ts';
import type { Usage } from '../neutral.ts';
import type { UsageRule } from '../usage-meter.ts';

/** `message_start` tells the input and a first guess at the output, `message_delta` running totals; the one that says why is the last. */
export const usageRule: UsageRule = {
  countsOf: usageField,
  read: decodeUsage,
  closes: (json) => finishOf(json) !== undefined,
  finishOf,
  modelOf: (json) => asString((asObject(json.message) ?? json).model),
  tierOf(json) {
    const usage = usageField(json);
    // A faster mode has prices of its own, whatever tier it runs in.
    return asString(usage?.speed) === 'fast' ? 'fast' : asString(usage?.service_tier);
  },
  regionOf(json) {
    const region = asString(usageField(json)?.inference_geo);
    return region === undefined || nowhere.has(region) ? undefined : region;
  },
};

/** What stands for a region where the model may have run anywhere, or where nobody knows. */
const nowhere: ReadonlySet<string> = new Set(['global', 'not_available']);

function finishOf(json: JsonObject): string | undefined {
  return asString(json.stop_reason) ?? asString(asObject(json.delta)?.stop_reason);
}

/** The `usage` object of a whole message, of `message_start` or of `message_delta`; undefined when there is none. */
export function usageField(json: JsonObject): JsonObject | undefined {
  return asObject(json.usage) ?? asObject(asObject(json.message)?.usage);
}

/**
 * Neutral counts of a `usage` object: `input_tokens` of this format leaves out what the cache read and wrote, and all of its
 * counts leave out the work that `iterations` tells of beside the answer itself, which is billed too.
 */
export function decodeUsage(usage: JsonObject): Usage {
  if (usage.iterations === undefined) return decodeCounts(usage);
  const beside = asObjects(usage.iterations).filter(({ type }) => type === 'compaction' || type === 'advisor_message');
  return beside.reduce<Usage>((sum, iteration) => added(sum, decodeCounts(iteration)), decodeCounts(usage));
}

function added(sum: Usage, more: Usage): Usage {
  const both = (count: 'cacheRead' | 'cacheWrite' | 'cacheWrite1h') =>
    sum[count] === undefined && more[count] === undefined ? {} : { [count]: (sum[count] ?? 0) + (more[count] ?? 0) };
  return {
    ...sum,
    input: sum.input + more.input,
    output: sum.output + more.output,
    ...both('cacheRead'),
    ...both('cacheWrite'),
    ...both('cacheWrite1h'),
  };
}

function decodeCounts(usage: JsonObject): Usage {
  const creation = asObject(usage.cache_creation);
  const write1h = asNumber(creation?.ephemeral_1h_input_tokens);
  const write5m = asNumber(creation?.ephemeral_5m_input_tokens);
  const written = write1h === undefined && write5m === undefined ? undefined : (write1h ?? 0) + (write5m ?? 0);
  const write = asNumber(usage.cache_creation_input_tokens) ?? written;
  const read = asNumber(usage.cache_read_input_tokens);
  const reasoning = asNumber(asObject(usage.output_tokens_details)?.thinking_tokens);
  const serverTools = asObject(usage.server_tool_use);
  return {
    input: (asNumber(usage.input_tokens) ?? 0) + (read ?? 0) + (write ?? 0),
    output: asNumber(usage.output_tokens) ?? 0,
    ...(read === undefined ? {} : { cacheRead: read }),
    ...(write === undefined ? {} : { cacheWrite: write }),
    ...(write1h === undefined ? {} : { cacheWrite1h: write1h }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(serverTools === undefined ? {} : { serverTools: counts(serverTools) }),
  };
}

/** Counts of a whole reply or of one event; `message_delta` alone may leave the input out, which then counts as 0. */
export function usageOf(json: JsonObject): Usage | undefined {
  const usage = usageField(json);
  return usage === undefined ? undefined : decodeUsage(usage);
}

/** The `usage` object of this format; counts that nobody knows are 0, as its type demands numbers. */
export function encodeUsage(usage: Usage | undefined): JsonObject {
  const read = usage?.cacheRead ?? 0;
  const write = usage?.cacheWrite ?? 0;
  const write1h = usage?.cacheWrite1h;
  return compact({
    input_tokens: Math.max(0, (usage?.input ?? 0) - read - write),
    cache_creation_input_tokens: write,
    cache_read_input_tokens: read,
    cache_creation:
      write1h === undefined
        ? undefined
        : { ephemeral_5m_input_tokens: Math.max(0, write - write1h), ephemeral_1h_input_tokens: write1h },
    output_tokens: usage?.output ?? 0,
    output_tokens_details: usage?.reasoning === undefined ? undefined : { thinking_tokens: usage.reasoning },
    server_tool_use: usage?.serverTools,
  });
}

function counts(object: JsonObject): Record<string, number> {
  const kept: Record<string, number> = {};
  for (const key in object) {
    const count = asNumber(object[key]);
    if (count !== undefined) kept[key] = count;
  }
  return kept;
}
