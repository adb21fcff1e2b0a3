import {
  asObject,
  asObjects,
  asString,
  dialects,
  type Embeddings,
  type FinishReason,
  type GenerationDialect,
  type GenerationDialectName,
  type Json,
  type JsonObject,
  type Outcome,
  parseJson,
  type TargetContext,
} from 'portcullis/sdk';
import { replyContextOf } from './reply-context.ts';

/** Whether the head of a reply promises what was asked for: a stream to who wants one, sound for speech, JSON to all others. */
export function promisesAnswer(outcome: Outcome, target: TargetContext): boolean {
  // Another success says that the answer is not here, or not whole.
  if (outcome.status !== 200 || outcome.error !== undefined) return false;
  if (target.body.stream === true) return isEventStream(outcome);
  return isSound(outcome, target) || /[/+]json\b/i.test(contentTypeOf(outcome));
}

/** Speech has no words that say how it ended: what the provider has sent to its end is whole. */
export function isSound(outcome: Outcome, { request }: TargetContext): boolean {
  return request.endpoint === 'createSpeech' && /^(audio\/|application\/octet-stream\b)/i.test(contentTypeOf(outcome));
}

export function isEventStream(outcome: Outcome): boolean {
  return contentTypeOf(outcome).toLowerCase().startsWith('text/event-stream');
}

function contentTypeOf({ headers }: Outcome): string {
  return String(headers['content-type'] ?? '');
}

/** Words for an answer that a provider gave up: some give what they have when they fail. */
const failures: ReadonlySet<string> = new Set([
  'error',
  ...['ERROR', 'TIMEOUT'],
  ...['OTHER', 'RECITATION', 'FINISH_REASON_UNSPECIFIED', 'MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'],
  ...['NO_IMAGE', 'IMAGE_OTHER', 'IMAGE_RECITATION'],
  ...['malformed_model_output', 'malformed_tool_use'],
]);

/**
 * Whether an answer is whole that ended with this word of its format and for this reason. One that was cut or withheld by a
 * filter of the provider is not: asked again, it may say more.
 */
export function endedWell(word: string | undefined, reason: FinishReason): boolean {
  return word !== undefined && word !== '' && !failures.has(word) && reason !== 'content_filter';
}

/** The words that say how the answers of a whole reply ended, in the formats where each answer has one. */
const endings: Record<GenerationDialectName, (reply: JsonObject) => readonly (Json | undefined)[]> = {
  chat: endingsOfChoices,
  completions: endingsOfChoices,
  messages: ({ stop_reason }) => [stop_reason],
  // Of one that is incomplete, the reason tells why.
  responses: ({ status }) => [status === 'completed' || status === 'incomplete' ? status : undefined],
  gemini: ({ candidates }) => asObjects(candidates).map(({ finishReason }) => finishReason),
  converse: ({ stopReason }) => [stopReason],
  cohere: ({ finish_reason }) => [finish_reason],
};

/** Whether the bytes are a whole JSON object that holds an answer and tells of no error. */
export function isAnswer(bytes: Uint8Array, target: TargetContext): boolean {
  const { dialect, endpoint } = target.request;
  const json = asObject(parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')));
  if (json === undefined || (json.error ?? null) !== null) return false;
  if (dialect === undefined) return asObjects(json.choices).every(({ finish_reason }) => finish_reason !== 'error');
  const format = dialects[dialect];
  if (format.faultOf(json, 200) !== undefined) return false;
  // Counted tokens are in the format of messages, and are none.
  if (endpoint === 'messagesCountTokens') return true;
  switch (format.kind) {
    case 'generation':
      return hasEnded(json, format, target);
    case 'embedding':
      return hasVectors(format.decodeReply(json, replyContextOf(target)));
    case 'document':
      return dialect !== 'images' || asObjects(json.data).length > 0;
  }
}

function hasEnded(reply: JsonObject, format: GenerationDialect<GenerationDialectName>, target: TargetContext): boolean {
  const words = endings[format.name](reply);
  const { choices } = format.decodeReply(reply, replyContextOf(target));
  return words.length > 0 && choices.every(({ finish }, index) => endedWell(asString(words[index]), finish));
}

function hasVectors({ vectors }: Embeddings): boolean {
  return vectors.length > 0 && vectors.every(({ length }) => length > 0);
}

function endingsOfChoices({ choices }: JsonObject): readonly (Json | undefined)[] {
  return asObjects(choices).map(({ finish_reason }) => finish_reason);
}
