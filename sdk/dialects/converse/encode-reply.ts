import { compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext, ReplyContext } from '../dialect.ts';
import { toolInput } from '../messages/tool-input.ts';
import type { Completion, Part } from '../neutral.ts';
import { packToolCallId } from '../tool-call-id.ts';
import { encodeCitation } from './citations.ts';
import { reasoning } from './encode-blocks.ts';
import { DocumentNames, encodeMedia } from './media.ts';
import { stopReasonOf } from './stop.ts';
import { encodeUsage } from './usage.ts';

/** Fields of a reply that the neutral form has no name for. */
const ownFields = new Set(['metrics', 'trace', 'performanceConfig', 'additionalModelResponseFields']);

/** Writes a whole reply from the first choice; the format has one answer a reply. */
export function encodeReply(completion: Completion, context: ReplyContext): JsonObject {
  const [choice] = completion.choices;
  if (completion.choices.length > 1) context.dropped('choices');
  const content = (choice?.parts ?? []).flatMap((part) => encodeReplyPart(part, context));
  return compact({
    output: { message: { role: 'assistant', content } },
    stopReason: stopReasonOf(choice?.finish ?? 'stop', choice?.nativeFinish, choice?.stopSequence),
    usage: completion.usage === undefined ? undefined : encodeUsage(completion.usage),
    metrics: { latencyMs: 0 },
    serviceTier: completion.serviceTier === undefined ? undefined : { type: completion.serviceTier },
    ...keptExtra(completion.extra, context),
    ...told(choice?.stopSequence, completion.extra),
  });
}

/** The stop sequence, where the format has a place for it. */
export function told(stopSequence: string | undefined, extra: JsonObject | undefined): JsonObject {
  if (stopSequence === undefined) return {};
  const fields = extra?.additionalModelResponseFields;
  const before = typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? (fields as JsonObject) : {};
  return { additionalModelResponseFields: { ...before, stop_sequence: stopSequence } };
}

export function keptExtra(extra: JsonObject | undefined, context: CodecContext): JsonObject {
  const kept: { [key: string]: Json } = {};
  for (const key in extra) {
    const value = extra[key];
    if (value !== undefined && ownFields.has(key)) kept[key] = value;
    else context.dropped(key);
  }
  return kept;
}

/** The blocks of a reply that say a part; none for empty text and for what only other formats have. */
export function encodeReplyPart(part: Part, context: CodecContext): readonly JsonObject[] {
  switch (part.type) {
    case 'text': {
      const citations = (part.citations ?? []).flatMap((citation) => encodeCitation(citation) ?? []);
      if (citations.length > 0) return [{ citationsContent: { content: [{ text: part.text }], citations } }];
      return part.text === '' ? [] : [{ text: part.text }];
    }
    case 'refusal':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'thinking':
      return [reasoning(part.text, part.signature)];
    case 'redacted-thinking':
      return [{ reasoningContent: { redactedContent: part.data } }];
    case 'tool-call': {
      const input = toolInput(part.arguments, part.custom);
      return [{ toolUse: { toolUseId: packToolCallId(part.id, part.signature), name: part.name, input } }];
    }
    case 'native':
      if (part.dialect === 'converse') return [part.value];
      context.dropped(`${part.dialect} content`);
      return [];
    case 'audio':
      if (part.transcript) return [{ text: part.transcript }];
      return mediaBlocks(part, context);
    case 'image':
    case 'file':
      return mediaBlocks(part, context);
    case 'tool-result':
      context.dropped(part.type);
      return [];
  }
}

function mediaBlocks(
  part: Extract<Part, { type: 'image' | 'file' | 'audio' }>,
  context: CodecContext,
): readonly JsonObject[] {
  if (part.source.kind === 'base64') {
    try {
      return [encodeMedia(part, '', new DocumentNames())];
    } catch {
      // A format that this one has no word for.
    }
  }
  context.dropped(part.type);
  return [];
}
