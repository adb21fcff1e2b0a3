import { asObject, asString, type JsonObject } from '../../json.ts';
import { lookup } from '../lookup.ts';
import type { FinishReason } from '../neutral.ts';

const reasons: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
};

/** How a response ended; the provider's word is the reason of an incomplete one, else its status. */
export function finishOf(response: JsonObject, calledTools: boolean): { reason: FinishReason; native?: string } {
  const status = asString(response.status);
  if (status === 'incomplete') {
    const native = asString(asObject(response.incomplete_details)?.reason);
    if (native === undefined) return { reason: 'length', native: status };
    return { reason: lookup(reasons, native) ?? 'stop', native };
  }
  const reason = calledTools ? 'tool_calls' : 'stop';
  return status === undefined ? { reason } : { reason, native: status };
}

/** `incomplete_details` of an answer that ended so; undefined for a complete one. */
export function incompleteReason(reason: FinishReason | undefined): string | undefined {
  if (reason === 'length') return 'max_output_tokens';
  return reason === 'content_filter' ? 'content_filter' : undefined;
}
