import type { FinishReason } from '../neutral.ts';

const finishes: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['malformed_model_output', 'stop'],
  ['malformed_tool_use', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['guardrail_intervened', 'content_filter'],
  ['content_filtered', 'content_filter'],
]);

const words: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'content_filtered',
};

/** The reason that a `stopReason` stands for; an absent one is judged by whether tools are called. */
export function finishOf(word: string | undefined, callsTools: boolean): FinishReason {
  const known = word === undefined ? undefined : finishes.get(word);
  return known ?? (word === undefined && callsTools ? 'tool_calls' : 'stop');
}

/** The word of this format; the provider's own word stays when it is one and means the same. */
export function stopReasonOf(reason: FinishReason, native: string | undefined, sequence: string | undefined): string {
  if (native !== undefined && finishes.get(native) === reason) return native;
  return reason === 'stop' && sequence !== undefined ? 'stop_sequence' : words[reason];
}
