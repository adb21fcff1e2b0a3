import { compact, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { lookup } from '../lookup.ts';
import type { Call, Reasoning } from '../neutral.ts';

/** `max_tokens` is required by the format; this is sent for a client that gave none. */
export const DEFAULT_MAX_TOKENS = 4096;

/** The smallest `budget_tokens` that the API takes, sent for a client that wants thinking without saying how much. */
export const MIN_BUDGET_TOKENS = 1024;

/** The smallest `top_p` that the API takes together with thinking. */
const MIN_THINKING_TOP_P = 0.95;

const efforts: Readonly<Record<string, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

const displays: Readonly<Record<string, string>> = {
  summarized: 'summarized',
  auto: 'summarized',
  concise: 'summarized',
  detailed: 'summarized',
  omitted: 'omitted',
  none: 'omitted',
};

/** The `thinking` object; undefined when the client said nothing that needs one. */
export function encodeThinking(call: Call, context: CodecContext): JsonObject | undefined {
  const reasoning = call.reasoning;
  if (reasoning === undefined) return undefined;
  const type = thinkingType(reasoning);
  const shown = type === 'enabled' || type === 'adaptive';
  const display = shown && reasoning.summary !== undefined ? lookup(displays, reasoning.summary) : undefined;
  if (reasoning.summary !== undefined && display === undefined) context.dropped('reasoning.summary');
  if (type === undefined) return undefined;
  const budget = Math.max(MIN_BUDGET_TOKENS, reasoning.budgetTokens ?? 0);
  return compact({ type, budget_tokens: type === 'enabled' ? budget : undefined, display });
}

function thinkingType(reasoning: Reasoning): string | undefined {
  if (reasoning.enabled === false || reasoning.effort === 'none') return 'disabled';
  if (reasoning.adaptive === true) return 'adaptive';
  return reasoning.enabled === true || reasoning.budgetTokens !== undefined ? 'enabled' : undefined;
}

/** `output_config.effort`: a word that the format does not know is kept from its own clients and dropped from others. */
export function encodeEffort(call: Call, context: CodecContext): string | undefined {
  const effort = call.reasoning?.effort;
  if (effort === undefined || effort === 'none') return undefined;
  if (call.dialect === 'messages') return effort;
  const known = lookup(efforts, effort);
  if (known === undefined) context.dropped('reasoning_effort');
  return known;
}

/**
 * `max_tokens`: the client's, or the default. It counts thinking too and must exceed `budget_tokens`: where it does not,
 * it is taken as room for the answer and the budget is added; only a client of this format is left to its own number.
 */
export function encodeMaxTokens(call: Call, thinking: JsonObject | undefined): number {
  const room = call.maxTokens ?? DEFAULT_MAX_TOKENS;
  const budget = typeof thinking?.budget_tokens === 'number' ? thinking.budget_tokens : 0;
  const own = call.dialect === 'messages' && call.maxTokens !== undefined;
  return own || budget < room ? room : budget + room;
}

/**
 * `temperature`, `top_p` and `top_k` within what the API accepts: a temperature of at most 1, never both temperature and
 * top_p, and with thinking only a temperature of 1, a top_p of at least 0.95 and no top_k.
 */
export function encodeSampling(call: Call, thinking: JsonObject | undefined, context: CodecContext): JsonObject {
  const thinks = thinking !== undefined && thinking.type !== 'disabled';
  const keep = (field: string, value: number | undefined, accepted: boolean): number | undefined => {
    if (value !== undefined && !accepted) context.dropped(field);
    return accepted ? value : undefined;
  };
  const wanted = keep('temperature', call.temperature, !thinks || call.temperature === 1);
  if (wanted !== undefined && wanted > 1) context.dropped('temperature');
  const top = call.topP === undefined || !thinks || call.topP >= MIN_THINKING_TOP_P;
  return compact({
    temperature: wanted === undefined ? undefined : Math.min(1, wanted),
    top_p: keep('top_p', call.topP, wanted === undefined && top),
    top_k: keep('top_k', call.topK, !thinks),
  });
}
