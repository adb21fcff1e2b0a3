import { asString, type Json } from '../../json.ts';
import type { FinishReason } from '../neutral.ts';

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['model_length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
]);

/** The provider's word; undefined for null, absent and '' (which some send on every chunk). */
export function finishWord(value: Json | undefined): string | undefined {
  return asString(value) || undefined;
}

/** The neutral reason of a word; unknown words and none stand for stop, and stop after tool calls is tool_calls. */
export function finishReason(word: string | undefined, calledTools: boolean): FinishReason {
  const reason = reasons.get(word ?? 'stop') ?? 'stop';
  return reason === 'stop' && calledTools ? 'tool_calls' : reason;
}
