import { GatewayError } from '../../errors.ts';
import { asArray, asObject, compact, type Json, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { lookup } from '../lookup.ts';
import type { Call, ResponseFormat } from '../neutral.ts';
import { endUser } from '../short-name.ts';
import { writeMessages } from './encode-items.ts';
import { isReasoning, writeReasoning } from './reasoning.ts';
import { writeToolChoice, writeTools } from './tools.ts';

/** The smallest `max_output_tokens` that the API accepts. */
const minOutputTokens = 16;

/** Neutral fields without a place here, by the name that clients know them by. */
const placeless: readonly (readonly [field: keyof Call, name: string])[] = [
  ['topK', 'top_k'],
  ['seed', 'seed'],
  ['stop', 'stop'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['logitBias', 'logit_bias'],
  ['audio', 'audio'],
  ['cache', 'cache_control'],
];

/** Fields of other formats' `extra` that mean the same here. */
const shared: ReadonlySet<string> = new Set([
  ...['truncation', 'max_tool_calls', 'moderation', 'context_management'],
  ...['prompt_cache_retention', 'prompt_cache_options'],
]);
const merged: ReadonlySet<string> = new Set(['include', 'text', 'reasoning']);

/** Service tiers of other formats, in this format's words. */
const tiers: Readonly<Record<string, string>> = { standard_only: 'default' };

/**
 * Writes a request of the Responses API. For clients of other formats nothing is stored at the provider (`store: false`),
 * and encrypted reasoning is asked for, so that it can be sent back.
 *
 * @throws GatewayError `translation_unsupported` for `n` over 1
 */
export function encodeCall(call: Call, context: CodecContext): JsonObject {
  if ((call.n ?? 1) > 1) {
    const message = 'The target answers with one choice only; leave n out or send 1.';
    throw new GatewayError('translation_unsupported', message, { param: 'n' });
  }
  for (const [field, name] of placeless) if (call[field] !== undefined) context.dropped(name);
  if (call.modalities?.some((modality) => modality !== 'text')) context.dropped('modalities');

  const own = call.dialect === 'responses';
  const reasoning = writeReasoning(call, context);
  const extra = writeExtra(call, own, context);
  return compact({
    model: call.model,
    ...writeMessages(call, { context, own }),
    tools: writeTools(call, context),
    tool_choice: writeToolChoice(call, context),
    parallel_tool_calls: call.parallelToolCalls,
    text: mergedObject(extra.text, {
      format: call.responseFormat === undefined ? undefined : writeFormat(call.responseFormat),
      verbosity: call.verbosity,
    }),
    reasoning: mergedObject(extra.reasoning, { ...reasoning }),
    max_output_tokens: writeMaxTokens(call.maxTokens, own, context),
    temperature: call.temperature,
    top_p: call.topP,
    top_logprobs: call.topLogprobs,
    include: writeInclude(call, own, isReasoning(reasoning), extra.include),
    user: endUser(call),
    metadata: call.metadata,
    store: call.store ?? (own ? undefined : false),
    service_tier: call.serviceTier === undefined ? undefined : (lookup(tiers, call.serviceTier) ?? call.serviceTier),
    prompt_cache_key: call.promptCacheKey,
    safety_identifier: call.safetyIdentifier,
    stream: call.stream,
    ...omit(extra, merged),
  });
}

function writeExtra(call: Call, own: boolean, context: CodecContext): JsonObject {
  if (own) return call.extra;
  const fields: { [key: string]: Json | undefined } = {};
  for (const key in call.extra) {
    if (!context.strict && shared.has(key)) fields[key] = call.extra[key];
    else context.dropped(key);
  }
  return compact(fields);
}

function writeFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case 'text':
    case 'json_object':
      return { type: format.type };
    case 'json_schema':
      return compact({
        type: 'json_schema',
        name: format.name,
        description: format.description,
        schema: format.schema ?? {},
        strict: format.strict,
      });
  }
}

function writeMaxTokens(maxTokens: number | undefined, own: boolean, context: CodecContext): number | undefined {
  if (maxTokens === undefined || own || maxTokens >= minOutputTokens) return maxTokens;
  context.dropped('max_tokens');
  return minOutputTokens;
}

function writeInclude(call: Call, own: boolean, reasons: boolean, asked: Json | undefined): Json | undefined {
  const include = new Set(asArray(asked));
  if (reasons && !own) include.add('reasoning.encrypted_content');
  if (call.logprobs === true) include.add('message.output_text.logprobs');
  return include.size === 0 && asked === undefined ? undefined : [...include];
}

function mergedObject(
  rest: Json | undefined,
  fields: { readonly [key: string]: Json | undefined },
): JsonObject | undefined {
  const object = compact({ ...asObject(rest), ...fields });
  return Object.keys(object).length === 0 ? undefined : object;
}
