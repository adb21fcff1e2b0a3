import { GatewayError } from '../../errors.ts';
import { asObject, asString, compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call } from '../neutral.ts';
import { encodeThinking } from './thinking.ts';

const maxStopSequences = 5;
const maxCandidates = 8;

/**
 * `generationConfig` of a call; undefined when there is nothing to say.
 * @throws GatewayError `translation_unsupported` for more than 5 stop sequences or more than 8 answers
 */
export function encodeConfig(call: Call, context: CodecContext, carried: JsonObject): JsonObject | undefined {
  const stop = call.stop ?? [];
  if (stop.length > maxStopSequences) {
    throw tooMany('stop', `At most ${maxStopSequences} stop sequences can be sent to this provider.`);
  }
  if (call.n !== undefined && call.n > maxCandidates) {
    throw tooMany('n', `This provider gives at most ${maxCandidates} answers to one request.`);
  }
  if (call.topLogprobs !== undefined && call.logprobs !== true) context.dropped('top_logprobs');
  const config = compact({
    ...asObject(carried.generationConfig),
    maxOutputTokens: call.maxTokens,
    temperature: call.temperature,
    topP: call.topP,
    topK: call.topK,
    stopSequences: stop.length === 0 ? undefined : [...stop],
    seed: call.seed,
    candidateCount: call.n,
    presencePenalty: call.presencePenalty,
    frequencyPenalty: call.frequencyPenalty,
    responseLogprobs: call.logprobs || undefined,
    logprobs: call.logprobs ? call.topLogprobs : undefined,
    responseModalities: call.modalities?.map((modality) => modality.toUpperCase()),
    ...formatOf(call),
    ...speechOf(call, context),
    ...thinkingOf(call, context, carried),
  });
  return Object.keys(config).length === 0 ? undefined : config;
}

function tooMany(param: string, message: string): GatewayError {
  return new GatewayError('translation_unsupported', message, { param });
}

// `responseJsonSchema` takes JSON Schema as it is, `$ref` and `$defs` included; nothing is rewritten.
function formatOf(call: Call): { readonly [key: string]: Json | undefined } {
  const format = call.responseFormat;
  if (format === undefined) return {};
  switch (format.type) {
    case 'text':
      return { responseMimeType: call.dialect === 'gemini' ? 'text/plain' : undefined };
    case 'json_object':
      return { responseMimeType: 'application/json' };
    case 'json_schema':
      return { responseMimeType: 'application/json', responseJsonSchema: format.schema };
  }
}

function speechOf(call: Call, context: CodecContext): JsonObject {
  if (call.audio === undefined) return {};
  const voiceName = asString(call.audio.voice);
  for (const key of Object.keys(call.audio)) {
    if (key !== 'voice' || voiceName === undefined) context.dropped(`audio.${key}`);
  }
  if (voiceName === undefined) return {};
  return { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } } };
}

function thinkingOf(call: Call, context: CodecContext, carried: JsonObject): JsonObject {
  const kept = asObject(asObject(carried.generationConfig)?.thinkingConfig);
  const thinking = encodeThinking(call, context);
  return thinking === undefined && kept === undefined ? {} : { thinkingConfig: { ...kept, ...thinking } };
}
