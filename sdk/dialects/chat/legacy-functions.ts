import { asObject, type JsonObject, omit } from '../../json.ts';
import type { FinishReason } from '../neutral.ts';

/** Whether a client knows of calls by the deprecated `functions` alone, which have one call in an answer, without an id. */
export function asksFunctions({ functions, tools }: JsonObject): boolean {
  return Array.isArray(functions) && !Array.isArray(tools);
}

const listed: ReadonlySet<string> = new Set(['tool_calls']);

/** A message, or what a chunk adds to one, with its first call as `function_call`; further ones have no other place. */
export function withFunctionCall(message: JsonObject, calls: readonly JsonObject[]): JsonObject {
  const [first, ...more] = calls;
  const called = asObject(first?.function);
  if (called === undefined || (first?.index ?? 0) !== 0) return message;
  return {
    ...omit(message, listed),
    function_call: called,
    ...(more.length === 0 ? {} : { tool_calls: more }),
  };
}

export function legacyFinish(reason: FinishReason): FinishReason | 'function_call' {
  return reason === 'tool_calls' ? 'function_call' : reason;
}
