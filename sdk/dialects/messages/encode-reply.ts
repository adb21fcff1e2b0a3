import { compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext, ReplyContext } from '../dialect.ts';
import { lookup } from '../lookup.ts';
import type { Completion, Part } from '../neutral.ts';
import { packToolCallId } from '../tool-call-id.ts';
import { encodeCitation } from './citation.ts';
import { stopReasonOf } from './stop.ts';
import { toolInput } from './tool-input.ts';
import { encodeUsage } from './usage.ts';

/** Fields of a message that the neutral form has no name for. */
export const messageExtras: ReadonlySet<string> = new Set([
  'container',
  'context_management',
  'diagnostics',
  'stop_details',
]);

const serviceTiers: Readonly<Record<string, string>> = {
  standard: 'standard',
  default: 'standard',
  priority: 'priority',
  batch: 'batch',
};

/** Writes a whole message from the first choice; the format has one answer a reply. */
export function encodeReply(completion: Completion, context: ReplyContext): JsonObject {
  const [choice] = completion.choices;
  if (completion.choices.length > 1) context.dropped('choices');
  const parts = choice?.parts ?? [];
  const refused = parts.some((part) => part.type === 'refusal');
  const reason = choice?.finish ?? 'stop';
  return {
    id: completion.id,
    type: 'message',
    role: 'assistant',
    model: completion.model,
    content: parts.flatMap((part) => encodeReplyPart(part, context)),
    stop_reason: stopReasonOf({ reason, native: choice?.nativeFinish, stopSequence: choice?.stopSequence, refused }),
    stop_sequence: choice?.stopSequence ?? null,
    usage: compact({ ...encodeUsage(completion.usage), service_tier: serviceTier(completion.serviceTier) }),
    ...keptExtra(completion.extra, context),
  };
}

/** The service tier in this format's words; undefined for one that it does not know. */
export function serviceTier(tier: string | undefined): string | undefined {
  return tier === undefined ? undefined : lookup(serviceTiers, tier);
}

/** Those unknown fields that a message of this format has; the others are reported. */
export function keptExtra(extra: JsonObject | undefined, context: CodecContext): JsonObject {
  const kept: { [key: string]: Json } = {};
  for (const key in extra) {
    const value = extra[key];
    if (value !== undefined && messageExtras.has(key)) kept[key] = value;
    else context.dropped(key);
  }
  return kept;
}

/** The content blocks of a reply that say a part; none for empty text and for what only other formats have. */
export function encodeReplyPart(part: Part, context: CodecContext): readonly JsonObject[] {
  switch (part.type) {
    case 'text': {
      const citations = (part.citations ?? []).flatMap((citation) => encodeCitation(citation, context) ?? []);
      if (part.text === '' && citations.length === 0) return [];
      return [compact({ type: 'text', text: part.text, citations: citations.length === 0 ? undefined : citations })];
    }
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'thinking':
      return [{ type: 'thinking', thinking: part.text, signature: part.signature ?? '' }];
    case 'redacted-thinking':
      return [{ type: 'redacted_thinking', data: part.data }];
    case 'tool-call':
      return [
        {
          type: 'tool_use',
          id: packToolCallId(part.id, part.signature),
          name: part.name,
          input: toolInput(part.arguments, part.custom),
        },
      ];
    case 'audio':
      if (part.transcript) return [{ type: 'text', text: part.transcript }];
      context.dropped('audio');
      return [];
    case 'native':
      if (part.dialect === 'messages') return [part.value];
      context.dropped(`${part.dialect} content`);
      return [];
    case 'image':
    case 'file':
    case 'tool-result':
      context.dropped(part.type);
      return [];
  }
}
