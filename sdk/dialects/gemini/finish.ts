import type { FinishReason } from '../neutral.ts';

/** Words that end an answer otherwise than by a natural stop; every other word is a stop. Source: v1beta `FinishReason`. */
const reasons: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  BLOCKLIST: 'content_filter',
  SPII: 'content_filter',
  LANGUAGE: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
};
const words: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
};
const ownWords = new Set([
  ...Object.keys(reasons),
  ...['STOP', 'RECITATION', 'OTHER', 'MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'],
  ...['NO_IMAGE', 'IMAGE_RECITATION', 'IMAGE_OTHER', 'FINISH_REASON_UNSPECIFIED'],
]);

/** The neutral reason; the format has no word for tool calls, so the parts tell. */
export function finishOf(word: string | undefined, hasToolCall: boolean): FinishReason {
  const reason = word !== undefined && Object.hasOwn(reasons, word) ? reasons[word] : undefined;
  return reason ?? (hasToolCall ? 'tool_calls' : 'stop');
}

/** The word of this format; the provider's own word stays when it is one. */
export function finishWord(reason: FinishReason, native: string | undefined): string {
  return native !== undefined && ownWords.has(native) ? native : words[reason];
}
