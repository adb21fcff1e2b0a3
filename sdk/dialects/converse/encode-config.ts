import { asObject, asString, compact, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { lookup } from '../lookup.ts';
import { closedSchema } from '../messages/closed-schema.ts';
import { encodeEffort, encodeMaxTokens, encodeSampling, encodeThinking } from '../messages/thinking.ts';
import type { Call } from '../neutral.ts';

export interface Settled {
  readonly inferenceConfig?: JsonObject;
  /** Fields of the model: thinking and `top_k` in the words of the messages format, which most models take. */
  readonly ofModel: JsonObject;
}

/**
 * `inferenceConfig`, and what of the sampling only the model's own fields can say. A temperature over 1 is outside the
 * format; with thinking the rules of the messages format hold.
 */
export function encodeSettings(call: Call, context: CodecContext): Settled {
  const same = call.dialect === 'converse';
  const thinking = encodeThinking(call, context);
  const thinks = thinking !== undefined && thinking.type !== 'disabled';
  const sampling = thinks && !same ? encodeSampling(call, thinking, context) : plain(call, same, context);
  const budgeted = thinking?.budget_tokens !== undefined && !same;
  const stop = call.stop?.filter((sequence) => sequence !== '') ?? [];
  const inferenceConfig = compact({
    maxTokens: budgeted ? encodeMaxTokens(call, thinking) : call.maxTokens,
    temperature: sampling.temperature,
    topP: sampling.top_p,
    stopSequences: stop.length === 0 ? undefined : stop,
  });
  return {
    ...(Object.keys(inferenceConfig).length === 0 ? {} : { inferenceConfig }),
    ofModel: compact({ top_k: sampling.top_k, thinking }),
  };
}

function plain(call: Call, same: boolean, context: CodecContext): JsonObject {
  const high = call.temperature !== undefined && call.temperature > 1 && !same;
  if (high) context.dropped('temperature');
  return compact({ temperature: high ? 1 : call.temperature, top_p: call.topP, top_k: call.topK });
}

/** `outputConfig`: the schema of the answer, which the format takes as text, and the effort. */
export function encodeOutput(call: Call, context: CodecContext): JsonObject | undefined {
  const effort = call.dialect === 'converse' ? call.reasoning?.effort : encodeEffort(call, context);
  const textFormat = formatOf(call, context);
  return effort === undefined && textFormat === undefined ? undefined : compact({ textFormat, effort });
}

function formatOf(call: Call, context: CodecContext): JsonObject | undefined {
  const format = call.responseFormat;
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'json_object' || format.schema === undefined) {
    context.dropped('response_format');
    return undefined;
  }
  const { name, description } = format;
  const lost = (keyword: string) => context.dropped(`response_format.schema.${keyword}`);
  const asGiven = call.dialect === 'converse' || call.dialect === 'messages';
  const schema = asGiven ? format.schema : closedSchema(format.schema, lost);
  const jsonSchema = compact({ schema: JSON.stringify(schema), name, description });
  return { type: 'json_schema', structure: { jsonSchema } };
}

const tiers: Readonly<Record<string, string>> = {
  default: 'default',
  standard: 'default',
  standard_only: 'default',
  flex: 'flex',
  priority: 'priority',
  reserved: 'reserved',
};

export function encodeTier(call: Call, context: CodecContext): JsonObject | undefined {
  const tier = call.serviceTier;
  if (tier === undefined || tier === 'auto') return undefined;
  const type = call.dialect === 'converse' ? tier : lookup(tiers, tier);
  if (type === undefined) context.dropped('service_tier');
  return type === undefined ? undefined : { type };
}

/** What the documents allow in the keys and values of `requestMetadata`. */
const labelled = /^[a-zA-Z0-9\s:_@$#=/+,.-]{1,256}$/;
const mostLabels = 16;

/** `requestMetadata` of a call's metadata: what does not fit the format's own bounds is reported and left out. */
export function encodeMetadata(call: Call, context: CodecContext): JsonObject | undefined {
  const entries = Object.entries(asObject(call.metadata) ?? {});
  if (call.dialect === 'converse') return entries.length === 0 ? undefined : call.metadata;
  const fitting = entries
    .flatMap(([key, value]) => {
      const text = asString(value);
      return labelled.test(key) && text !== undefined && labelled.test(text) ? [[key, text] as const] : [];
    })
    .slice(0, mostLabels);
  if (fitting.length < entries.length) context.dropped('metadata');
  return fitting.length === 0 ? undefined : Object.fromEntries(fitting);
}
