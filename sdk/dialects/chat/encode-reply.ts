import { asObject, compact, type JsonObject, omit } from '../../json.ts';
import type { CodecContext, ReplyContext } from '../dialect.ts';
import type { AudioPart, Choice, Completion, Part } from '../neutral.ts';
import { annotationOf } from './citations.ts';
import { writeBlocks, writeSignedCall } from './encode-message.ts';
import { asksFunctions, legacyFinish, withFunctionCall } from './legacy-functions.ts';
import { writeUsage } from './usage.ts';

/**
 * Writes an answer as chat completion, thinking in the context's `reasoningField`. Non-strict adds `content_blocks`,
 * `native_finish_reason` and unknown fields.
 */
export function encodeReply(completion: Completion, context: ReplyContext): JsonObject {
  return compact({
    ...extraOf(completion.extra, context),
    id: completion.id || context.newId('chatcmpl-'),
    object: 'chat.completion',
    created: completion.created ?? context.nowSeconds(),
    model: completion.model,
    choices: completion.choices.map((choice) => writeChoice(choice, context)),
    usage: completion.usage && writeUsage(completion.usage, context.strict),
    service_tier: completion.serviceTier,
    system_fingerprint: completion.systemFingerprint,
  });
}

/** Unknown fields of an answer: strict drops them. */
export function extraOf(extra: JsonObject | undefined, context: ReplyContext): JsonObject {
  if (extra === undefined) return {};
  if (!context.strict) return extra;
  for (const field in extra) context.dropped(field);
  return {};
}

const nested: ReadonlySet<string> = new Set(['message']);

function writeChoice(choice: Choice, context: ReplyContext): JsonObject {
  const extra = extraOf(choice.extra, context);
  return compact({
    ...omit(extra, nested),
    index: choice.index,
    message: { ...asObject(extra.message), ...writeMessage(choice.parts, context) },
    logprobs: choice.logprobs ?? null,
    finish_reason: asksFunctions(context.request) ? legacyFinish(choice.finish) : choice.finish,
    native_finish_reason: context.strict ? undefined : choice.nativeFinish,
  });
}

function writeMessage(parts: readonly Part[], context: ReplyContext): JsonObject {
  reportLost(parts, context);
  const texts = parts.filter((part) => part.type === 'text');
  const refusals = parts.filter((part) => part.type === 'refusal');
  const thoughts = parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : [])).join('');
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [writeSignedCall(part)] : []));
  const spoken = parts.find((part) => part.type === 'audio');
  const annotations = writeAnnotations(parts, context);
  const blocks = context.strict ? [] : writeBlocks(parts);
  // An answer of nothing at all is an empty text; one of calls, a refusal or speech alone has no text.
  const silent = texts.length === 0 && (calls.length > 0 || refusals.length > 0 || spoken !== undefined);
  const message = compact({
    role: 'assistant',
    content: silent ? null : texts.map((part) => part.text).join(''),
    ...(context.reasoningField === undefined || thoughts === '' ? {} : { [context.reasoningField]: thoughts }),
    refusal: refusals.length === 0 ? null : refusals.map((part) => part.text).join(''),
    annotations: annotations.length > 0 ? annotations : undefined,
    audio: spoken && writeSpoken(spoken),
    tool_calls: calls.length > 0 ? calls : undefined,
    content_blocks: blocks.length > 0 ? blocks : undefined,
  });
  return asksFunctions(context.request) ? withFunctionCall(message, calls) : message;
}

/** Spoken output as `message.audio`. */
export function writeSpoken(part: AudioPart): JsonObject {
  return compact({
    id: part.id,
    data: part.source.kind === 'base64' ? part.source.data : undefined,
    transcript: part.transcript,
    expires_at: part.expiresAt,
  });
}

function writeAnnotations(parts: readonly Part[], context: ReplyContext): readonly JsonObject[] {
  const annotations: JsonObject[] = [];
  let start = 0;
  for (const part of parts) {
    if (part.type !== 'text') continue;
    const span = { start, end: start + part.text.length };
    start = span.end;
    for (const citation of part.citations ?? []) {
      const annotation = annotationOf(citation, span);
      if (annotation === undefined) context.dropped('citations');
      else annotations.push(annotation);
    }
  }
  return annotations;
}

function reportLost(parts: readonly Part[], context: ReplyContext): void {
  for (const part of parts) {
    if (isLost(part, context)) context.dropped(`message.${part.type}`);
  }
}

/** Whether a part of an answer has no place in the format. */
export function isLost(part: Part, { strict, reasoningField }: CodecContext): boolean {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'tool-call':
    case 'audio':
      return false;
    case 'thinking':
      return strict && reasoningField === undefined;
    case 'redacted-thinking':
      return strict;
    case 'image':
      return strict || part.source.kind === 'file-id';
    case 'file':
    case 'tool-result':
    case 'native':
      return true;
  }
}
