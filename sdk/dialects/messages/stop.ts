import type { FinishReason } from '../neutral.ts';

const finishes: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

/** The finish reason that a `stop_reason` stands for; an absent or unknown one is judged by whether tools are called. */
export function finishOf(stopReason: string | undefined, callsTools: boolean): FinishReason {
  const known = stopReason === undefined ? undefined : finishes.get(stopReason);
  return known ?? (stopReason === undefined && callsTools ? 'tool_calls' : 'stop');
}

export interface Ending {
  readonly reason: FinishReason;
  readonly native?: string | undefined;
  readonly stopSequence?: string | undefined;
  /** The answer holds a refusal, which this format says only with its stop reason. */
  readonly refused: boolean;
}

/** The `stop_reason` of an ending: the provider's own word where it is one of this format and means the same. */
export function stopReasonOf(ending: Ending): string {
  if (ending.native !== undefined && finishes.get(ending.native) === ending.reason) return ending.native;
  if (ending.reason !== 'stop') return stopReasons[ending.reason];
  if (ending.refused) return 'refusal';
  return ending.stopSequence === undefined ? 'end_turn' : 'stop_sequence';
}
