import { GatewayError } from '../../errors.ts';
import { compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call } from '../neutral.ts';
import { camelCase } from './camel.ts';
import { encodeConfig } from './encode-config.ts';
import { encodeContents } from './encode-contents.ts';
import { encodeToolConfig, encodeTools } from './encode-tools.ts';

/** Call fields without a place in this format, by their name on the wire of the others. */
const homeless: readonly (readonly [keyof Call, string])[] = [
  ['logitBias', 'logit_bias'],
  ['user', 'user'],
  ['metadata', 'metadata'],
  ['verbosity', 'verbosity'],
  ['store', 'store'],
  ['promptCacheKey', 'prompt_cache_key'],
  ['safetyIdentifier', 'safety_identifier'],
  ['cache', 'cache_control'],
];
const topLevel = new Set(['safetySettings', 'cachedContent', 'labels']);
const inConfig = new Set(['imageConfig', 'speechConfig', 'mediaResolution']);
/** Without these the model would answer another question. */
const essential = new Set(['previous_response_id', 'conversation', 'background', 'prompt']);

const tiers: Readonly<Record<string, string>> = {
  default: 'standard',
  standard: 'standard',
  standard_only: 'standard',
  flex: 'flex',
  priority: 'priority',
};

/**
 * The `generateContent` body of a call. The model is in the URL, never here.
 * @throws GatewayError `bad_request` and `translation_unsupported`, see the parts
 */
export function encodeCall(call: Call, context: CodecContext): JsonObject {
  for (const [field, name] of homeless) if (call[field] !== undefined) context.dropped(name);
  if (call.parallelToolCalls === false) context.dropped('parallel_tool_calls');
  const carried = call.dialect === 'gemini' ? call.extra : carriedOf(call.extra, context);
  const { contents, system } = encodeContents(call, context);
  const tools = encodeTools(call, context);
  return compact({
    ...carried,
    contents,
    systemInstruction: system.length === 0 ? undefined : { parts: system },
    tools,
    toolConfig: encodeToolConfig(call, tools, carried, context),
    generationConfig: encodeConfig(call, context, carried),
    serviceTier: tierOf(call, context),
  });
}

/** The unknown fields of another format that this one has a place for. */
function carriedOf(extra: JsonObject, context: CodecContext): JsonObject {
  const top: { [key: string]: Json } = {};
  const config: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(extra)) {
    if (essential.has(key) && value !== null && value !== false) {
      throw new GatewayError(
        'translation_unsupported',
        `This provider has no "${key}"; without it the answer would be wrong.`,
        { param: key },
      );
    }
    const name = camelCase(key);
    if (context.strict || !(topLevel.has(name) || inConfig.has(name))) context.dropped(key);
    else if (topLevel.has(name)) top[name] = value;
    else config[name] = value;
  }
  return Object.keys(config).length === 0 ? top : { ...top, generationConfig: config };
}

function tierOf(call: Call, context: CodecContext): string | undefined {
  const tier = call.serviceTier;
  if (tier === undefined || tier === 'auto') return undefined;
  if (call.dialect === 'gemini') return tier;
  const own = Object.hasOwn(tiers, tier) ? tiers[tier] : undefined;
  if (own === undefined) context.dropped('service_tier');
  return own;
}
