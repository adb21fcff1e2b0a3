import { asObject, asString, compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, Reasoning } from '../neutral.ts';
import { present } from '../present.ts';

/** Reads `reasoning`; undefined when it says nothing of effort or summary. */
export function readReasoning(value: Json | undefined): Reasoning | undefined {
  const reasoning = asObject(value);
  const effort = asString(reasoning?.effort);
  const summary = asString(reasoning?.summary) ?? asString(reasoning?.generate_summary);
  if (effort === undefined && summary === undefined) return undefined;
  return present<Reasoning>({ effort, summary });
}

/** Efforts by the budget that they stand for: up to, but not including, so many tokens. */
const efforts: readonly (readonly [belowTokens: number, effort: string])[] = [
  [2048, 'low'],
  [8192, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
];

/** What other formats call a summary, in this format's words; undefined: not asked for. */
const summaries: ReadonlyMap<string, string | undefined> = new Map([
  ['summarized', 'auto'],
  ['omitted', undefined],
  ['none', undefined],
]);

/** Thinking that is switched off says nothing, as models that cannot think refuse an effort. */
export function writeReasoning(call: Call, context: CodecContext): JsonObject | undefined {
  const reasoning = call.reasoning;
  if (reasoning === undefined) return undefined;
  const { effort, summary } = reasoning;
  if (effort === undefined && reasoning.enabled === false) {
    context.dropped('thinking');
    return undefined;
  }
  const fields = compact({
    effort: effort ?? effortOf(reasoning),
    summary: summary !== undefined && summaries.has(summary) ? summaries.get(summary) : summary,
  });
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Whether the answer may hold reasoning that the client could send back. */
export function isReasoning(reasoning: JsonObject | undefined): boolean {
  return reasoning !== undefined && reasoning.effort !== 'none';
}

function effortOf({ budgetTokens, enabled, adaptive }: Reasoning): string | undefined {
  if (budgetTokens !== undefined) return efforts.find(([below]) => budgetTokens < below)?.[1];
  return enabled === true || adaptive === true ? 'medium' : undefined;
}
