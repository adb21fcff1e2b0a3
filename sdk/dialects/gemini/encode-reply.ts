import { compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext, ReplyContext } from '../dialect.ts';
import type { Choice, Completion } from '../neutral.ts';
import { groundingOf } from './citations.ts';
import { encodeParts } from './encode-parts.ts';
import { finishWord } from './finish.ts';
import { encodeLogprobs } from './logprobs.ts';
import { encodeUsage } from './usage.ts';

const ownCandidateFields = new Set([
  ...['groundingMetadata', 'safetyRatings', 'citationMetadata', 'avgLogprobs'],
  ...['finishMessage', 'tokenCount', 'urlContextMetadata', 'groundingAttributions'],
]);
const ownReplyFields = new Set(['promptFeedback', 'modelStatus']);

/** A `GenerateContentResponse` as the API gives it. */
export function encodeReply(completion: Completion, context: ReplyContext): JsonObject {
  const { usage, extra, id, model, serviceTier } = completion;
  return compact({
    ...allowed(extra, ownReplyFields, context),
    candidates: completion.choices.map((choice) => encodeChoice(choice, context)),
    usageMetadata: usage === undefined ? undefined : encodeUsage(usage, serviceTier),
    modelVersion: model,
    responseId: id,
  });
}

function encodeChoice(choice: Choice, context: ReplyContext): JsonObject {
  const parts = encodeParts(choice.parts, {
    same: true,
    keepThoughts: true,
    verified: false,
    path: `choices[${choice.index}].parts`,
    dropped: (field) => context.dropped(field),
  });
  const extra = allowed(choice.extra, ownCandidateFields, context);
  const citations = choice.parts.flatMap((part) => (part.type === 'text' ? (part.citations ?? []) : []));
  return compact({
    groundingMetadata: groundingOf(citations),
    ...extra,
    // A content without parts makes official clients forget the whole turn.
    content: { parts: parts.length === 0 ? [{ text: '' }] : parts, role: 'model' },
    finishReason: finishWord(choice.finish, choice.nativeFinish),
    index: choice.index,
    logprobsResult: choice.logprobs === undefined ? undefined : encodeLogprobs(choice.logprobs),
  });
}

/** The unknown fields that may be shown: all of them, or under strict compliance those that the format's documents name. */
export function allowed(
  extra: JsonObject | undefined,
  own: ReadonlySet<string>,
  context: CodecContext,
): { readonly [key: string]: Json } {
  const kept: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(extra ?? {})) {
    if (!context.strict || own.has(key)) kept[key] = value;
    else context.dropped(key);
  }
  return kept;
}

export function allowedInCandidate(extra: JsonObject, context: CodecContext): JsonObject {
  return allowed(extra, ownCandidateFields, context);
}

export function allowedInReply(extra: JsonObject, context: CodecContext): JsonObject {
  return allowed(extra, ownReplyFields, context);
}
