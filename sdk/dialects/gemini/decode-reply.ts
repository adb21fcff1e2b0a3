import { asNumber, asObject, asObjects, asString, type JsonObject, omit } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Choice, Completion } from '../neutral.ts';
import { citationsOf, cite } from './citations.ts';
import { decodeParts } from './decode-parts.ts';
import { finishOf } from './finish.ts';
import { decodeLogprobs } from './logprobs.ts';
import { tierOf, usageOf } from './usage.ts';

export const candidateFields: ReadonlySet<string> = new Set(['content', 'finishReason', 'index', 'logprobsResult']);
export const replyFields: ReadonlySet<string> = new Set([
  'candidates',
  'usageMetadata',
  'modelVersion',
  'responseId',
  'createTime',
]);

/** Reads a `GenerateContentResponse`. A prompt that was blocked gives one empty choice with `content_filter`. */
export function decodeReply(body: JsonObject, context: ReplyContext): Completion {
  const candidates = asObjects(body.candidates);
  const choices = candidates.map((candidate, index) => choiceOf(candidate, index, context));
  const usage = usageOf(body);
  const serviceTier = tierOf(body);
  const extra = omit(body, replyFields);
  return {
    id: idOf(body, context),
    model: modelOf(body, context),
    created: createdOf(body, context),
    choices: choices.length > 0 ? choices : [withoutCandidates(body)],
    ...(usage === undefined ? {} : { usage }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function choiceOf(candidate: JsonObject, position: number, context: ReplyContext): Choice {
  const wire = asObjects(asObject(candidate.content)?.parts);
  const parts = cite(
    decodeParts(wire, () => context.newId('call_')),
    citationsOf(candidate),
  );
  const word = asString(candidate.finishReason);
  const logprobs = decodeLogprobs(candidate);
  const extra = omit(candidate, candidateFields);
  return {
    index: asNumber(candidate.index) ?? position,
    parts,
    finish: finishOf(
      word,
      parts.some((part) => part.type === 'tool-call'),
    ),
    ...(word === undefined ? {} : { nativeFinish: word }),
    ...(logprobs === undefined ? {} : { logprobs }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function withoutCandidates(body: JsonObject): Choice {
  const blocked = blockReasonOf(body);
  if (blocked === undefined) return { index: 0, parts: [], finish: 'stop' };
  return { index: 0, parts: [], finish: 'content_filter', nativeFinish: blocked };
}

export function blockReasonOf(body: JsonObject): string | undefined {
  return asString(asObject(body.promptFeedback)?.blockReason);
}

export function idOf(body: JsonObject, context: ReplyContext): string {
  return asString(body.responseId) || context.newId('gen-');
}

export function modelOf(body: JsonObject, context: ReplyContext): string {
  return asString(body.modelVersion) || (asString(context.request.model) ?? '');
}

export function createdOf(body: JsonObject, context: ReplyContext): number {
  const seconds = Math.floor(Date.parse(asString(body.createTime) ?? '') / 1000);
  return Number.isFinite(seconds) ? seconds : context.nowSeconds();
}
