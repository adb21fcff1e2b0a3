import { asBoolean, asNumber, asObject, asString, compact, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, Reasoning } from '../neutral.ts';
import { camelKeys } from './camel.ts';

/** Source: OpenAI compatibility of the Gemini API, section Thinking (https://ai.google.dev/gemini-api/docs/openai). */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
const levels: Readonly<Record<string, string>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
};

/** Models from version 3 on, and the aliases of the newest: they take a thinking level and demand thought signatures. */
export function isLevelModel(model: string): boolean {
  const major = /gemini-(\d+)/i.exec(model)?.[1];
  return major === undefined ? /gemini-[a-z-]*latest/i.test(model) : Number(major) >= 3;
}

export function encodeThinking(call: Call, context: CodecContext): JsonObject | undefined {
  const reasoning = call.reasoning;
  if (reasoning === undefined) return undefined;
  const same = call.dialect === 'gemini';
  const depth = same ? sameDepth(reasoning) : depthOf(reasoning, call.model, context);
  const config = compact({ ...depth, includeThoughts: shows(reasoning, same, depth) });
  return Object.keys(config).length === 0 ? undefined : config;
}

function sameDepth({ effort, enabled, adaptive, budgetTokens }: Reasoning): JsonObject {
  const thinkingBudget = enabled === false ? 0 : (budgetTokens ?? (adaptive ? -1 : undefined));
  return compact({ thinkingLevel: effort?.toUpperCase(), thinkingBudget });
}

function depthOf(reasoning: Reasoning, model: string, context: CodecContext): JsonObject {
  const { effort, enabled, adaptive, budgetTokens } = reasoning;
  if (enabled === false || effort === 'none') return { thinkingBudget: 0 };
  if (budgetTokens !== undefined) return { thinkingBudget: budgetTokens };
  if (effort !== undefined && Object.hasOwn(budgets, effort)) {
    if (!isLevelModel(model)) return compact({ thinkingBudget: budgets[effort] });
    // The pro models have no minimal level.
    const level = effort === 'minimal' && /-pro\b/i.test(model) ? 'LOW' : levels[effort];
    return compact({ thinkingLevel: level });
  }
  if (effort !== undefined) context.dropped('reasoning_effort');
  return adaptive && !isLevelModel(model) ? { thinkingBudget: -1 } : {};
}

function shows(reasoning: Reasoning, same: boolean, depth: JsonObject): boolean | undefined {
  const hidden = reasoning.summary === 'none' || reasoning.summary === 'omitted';
  if (same) return reasoning.summary === undefined ? undefined : !hidden;
  if (hidden || depth.thinkingBudget === 0) return undefined;
  const { effort, enabled, adaptive, budgetTokens, summary } = reasoning;
  return effort || enabled || adaptive || budgetTokens !== undefined || summary ? true : undefined;
}

const known = new Set(['includeThoughts', 'thinkingBudget', 'thinkingLevel']);

/** The reasoning of a `thinkingConfig`, and the fields of it that have no neutral name. */
export function decodeThinking(value: unknown): { readonly reasoning?: Reasoning; readonly rest?: JsonObject } {
  const object = asObject(value);
  if (object === undefined) return {};
  const config = camelKeys(object);
  const budget = asNumber(config.thinkingBudget);
  const level = asString(config.thinkingLevel)?.toLowerCase();
  const included = asBoolean(config.includeThoughts);
  const reasoning: Reasoning = {
    ...(level === undefined || level === 'thinking_level_unspecified' ? {} : { effort: level }),
    ...(budget === 0 ? { enabled: false } : {}),
    ...(budget === -1 ? { adaptive: true } : {}),
    ...(budget !== undefined && budget > 0 ? { budgetTokens: budget } : {}),
    ...(included === undefined ? {} : { summary: included ? 'auto' : 'none' }),
  };
  const rest = omit(config, known);
  return {
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...(Object.keys(rest).length === 0 ? {} : { rest }),
  };
}
