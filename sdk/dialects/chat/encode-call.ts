import { GatewayError } from '../../errors.ts';
import { asObject, compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, ResponseFormat } from '../neutral.ts';
import { endUser } from '../short-name.ts';
import { cacheFields } from './cache-mark.ts';
import { writeMessages } from './encode-message.ts';
import { writeTools } from './encode-tools.ts';
import { writeReasoning } from './reasoning.ts';

/** Writes a call as chat completion request, in current field names. */
export function encodeCall(call: Call, context: CodecContext): JsonObject {
  return compact({
    model: call.model,
    messages: writeMessages(call, context),
    ...writeTools(call, context),
    response_format: call.responseFormat && writeResponseFormat(call.responseFormat),
    ...writeReasoning(call, context),
    max_completion_tokens: call.maxTokens,
    ...writeSampling(call, context),
    stop: call.stop,
    logprobs: call.logprobs,
    top_logprobs: writeTopLogprobs(call, context),
    metadata: call.metadata,
    service_tier: call.serviceTier,
    verbosity: call.verbosity,
    modalities: call.modalities,
    audio: call.audio,
    store: call.store,
    prompt_cache_key: call.promptCacheKey,
    safety_identifier: call.safetyIdentifier,
    ...cacheFields(call.cache, context),
    ...extraFields(call, context),
    stream_options: writeStreamOptions(call),
  });
}

// The format takes it only with `logprobs: true`; elsewhere a client may leave that out, and then gets none.
function writeTopLogprobs(call: Call, context: CodecContext): number | undefined {
  if (call.topLogprobs === undefined || call.logprobs === true || call.dialect === 'chat') return call.topLogprobs;
  context.dropped('top_logprobs');
  return undefined;
}

/** The fields that chat and completions requests share, without `stream_options`. */
export function writeSampling(call: Call, context: CodecContext): { readonly [key: string]: Json | undefined } {
  if (context.strict && call.topK !== undefined) context.dropped('top_k');
  return {
    temperature: call.temperature,
    top_p: call.topP,
    top_k: context.strict ? undefined : call.topK,
    n: call.n,
    seed: call.seed,
    presence_penalty: call.presencePenalty,
    frequency_penalty: call.frequencyPenalty,
    logit_bias: call.logitBias,
    user: endUser(call),
    stream: call.stream,
  };
}

/** `stream_options`, which the format takes only with `stream: true`. */
export function writeStreamOptions(call: Call): JsonObject | undefined {
  const own = call.dialect === 'chat' || call.dialect === 'completions';
  if (call.stream !== true && !own) return undefined;
  const options = compact({
    ...(own ? asObject(call.extra.stream_options) : undefined),
    include_usage: call.includeUsage,
  });
  return Object.keys(options).length === 0 ? undefined : options;
}

/** Fields of other formats that this one has too, under the same name and in the same shape. */
const shared: ReadonlySet<string> = new Set([
  'moderation',
  'prediction',
  'prompt_cache_options',
  'prompt_cache_retention',
  'web_search_options',
]);

/** Fields that change what the answer is about: without them it would be the answer to another question. */
const essential: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'prompt', 'background']);

function extraFields(call: Call, context: CodecContext): JsonObject {
  if (call.dialect === 'chat') return call.extra;
  const kept: { [key: string]: Json } = {};
  for (const [field, value] of Object.entries(call.extra)) {
    if (essential.has(field) && value !== null && value !== false) {
      throw new GatewayError(
        'translation_unsupported',
        `The field "${field}" cannot be translated for this provider, which speaks chat completions. Leave it out, or choose a provider that has it.`,
        { param: field },
      );
    }
    if (!context.strict && shared.has(field)) kept[field] = value;
    else context.dropped(field);
  }
  return kept;
}

function writeResponseFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case 'text':
    case 'json_object':
      return { type: format.type };
    case 'json_schema': {
      const { type, name, description, schema, strict } = format;
      return { type, json_schema: compact({ name, description, schema, strict }) };
    }
  }
}
