import { asNumber, asObject, asString, compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, Reasoning } from '../neutral.ts';
import { present } from '../present.ts';

const switches: Readonly<Record<string, Reasoning>> = {
  enabled: { enabled: true },
  disabled: { enabled: false },
  adaptive: { adaptive: true },
};

/** Whether `thinking` is of the form that readReasoning understands: type enabled, disabled or adaptive, and a budget. */
export function isThinking(value: Json | undefined): boolean {
  const type = asString(asObject(value)?.type);
  return type !== undefined && Object.hasOwn(switches, type);
}

/** Some providers have a word of their own for the budget: https://docs.cohere.com/docs/reasoning. */
const thinkingFields: ReadonlySet<string> = new Set(['type', 'budget_tokens', 'token_budget', 'display']);

/** Reads `reasoning_effort` and `thinking`; undefined when the request has neither. */
export function readReasoning(body: JsonObject, context: CodecContext): Reasoning | undefined {
  const effort = asString(body.reasoning_effort);
  const thinking = isThinking(body.thinking) ? asObject(body.thinking) : undefined;
  if (effort === undefined && thinking === undefined) return undefined;
  for (const field in thinking) if (!thinkingFields.has(field)) context.dropped(`thinking.${field}`);
  return present<Reasoning>({
    effort,
    ...switches[asString(thinking?.type) ?? ''],
    budgetTokens: asNumber(thinking?.budget_tokens) ?? asNumber(thinking?.token_budget),
    summary: asString(thinking?.display),
  });
}

/** Efforts by the budget that they stand for: up to, but not including, so many tokens. */
const efforts: readonly (readonly [belowTokens: number, effort: string])[] = [
  [2048, 'low'],
  [8192, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
];

/**
 * The fields `reasoning_effort` and `thinking`. `thinking` is written only where the client wrote it in this format and
 * strict compliance is off; otherwise a budget becomes an effort, thinking that is on without a budget `medium`, and thinking
 * that is off says nothing, as models that cannot think refuse an effort.
 */
export function writeReasoning(call: Call, context: CodecContext): { readonly [key: string]: Json | undefined } {
  const reasoning = call.reasoning;
  if (reasoning === undefined) return {};
  const thinking = writeThinking(reasoning);
  if (thinking !== undefined && call.dialect === 'chat' && !context.strict) {
    return { reasoning_effort: reasoning.effort, thinking };
  }
  if (reasoning.summary !== undefined) context.dropped('reasoning.summary');
  if (reasoning.effort !== undefined) return { reasoning_effort: reasoning.effort };
  if (thinking === undefined) return {};
  context.dropped('thinking');
  if (reasoning.enabled === false) return {};
  const budget = reasoning.budgetTokens;
  const effort = budget === undefined ? 'medium' : efforts.find(([below]) => budget < below)?.[1];
  return { reasoning_effort: effort };
}

function writeThinking(reasoning: Reasoning): JsonObject | undefined {
  const { enabled, adaptive, budgetTokens } = reasoning;
  if (enabled === undefined && adaptive !== true && budgetTokens === undefined) return undefined;
  return compact({
    type: adaptive === true ? 'adaptive' : enabled === false ? 'disabled' : 'enabled',
    budget_tokens: budgetTokens,
    display: reasoning.summary,
  });
}
