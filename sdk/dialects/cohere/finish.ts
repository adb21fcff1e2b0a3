import type { FinishReason } from '../neutral.ts';

/** Words of `finish_reason` that are no natural stop; every other word (COMPLETE, STOP_SEQUENCE, ERROR, TIMEOUT) is one. */
const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['MAX_TOKENS', 'length'],
  ['ERROR_LIMIT', 'length'],
  ['TOOL_CALL', 'tool_calls'],
  ['ERROR_TOXIC', 'content_filter'],
]);

const words: Readonly<Record<FinishReason, string>> = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  content_filter: 'ERROR_TOXIC',
};

const ownWords = new Set(['COMPLETE', 'STOP_SEQUENCE', 'ERROR', 'TIMEOUT', ...reasons.keys()]);

/** The neutral reason of a word; tool calls count as such whatever the word. */
export function finishOf(word: string | undefined, callsTools: boolean): FinishReason {
  const reason = word === undefined ? undefined : reasons.get(word);
  return reason ?? (callsTools ? 'tool_calls' : 'stop');
}

/** The word of this format; the provider's own stays when it is one. */
export function finishWord(reason: FinishReason, native: string | undefined): string {
  return native !== undefined && ownWords.has(native) ? native : words[reason];
}
