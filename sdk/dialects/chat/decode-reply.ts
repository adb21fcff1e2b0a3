import { asNumber, asObject, asObjects, asString, compact, type Json, type JsonObject, omit } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import { audioType } from '../media-type.ts';
import type { AudioPart, Choice, Completion, Part } from '../neutral.ts';
import { present } from '../present.ts';
import { readAnswer, readFunctionCall, readToolCall } from './decode-message.ts';
import { readPart } from './decode-part.ts';
import { finishReason, finishWord } from './finish.ts';
import { readUsage } from './usage.ts';

export const replyFields: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'service_tier',
  'system_fingerprint',
]);
export const choiceFields: ReadonlySet<string> = new Set([
  'index',
  'message',
  'delta',
  'finish_reason',
  'native_finish_reason',
  'logprobs',
]);
export const messageFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'refusal',
  'annotations',
  'audio',
  'images',
  'tool_calls',
  'function_call',
  'content_blocks',
  'reasoning_content',
  'reasoning',
]);

/** Reads a chat completion. A reply without choices counts as one empty answer. */
export function decodeReply(body: JsonObject, context: ReplyContext): Completion {
  return readCompletion(body, context, 'chatcmpl-', (choice) => ({
    logprobs: asObject(choice.logprobs),
    ...readMessage(choice, context),
  }));
}

/** The part of a reply that chat and completions share; `read` reads what a choice says. */
export function readCompletion(
  body: JsonObject,
  context: ReplyContext,
  idPrefix: string,
  read: (choice: JsonObject) => ChoiceContent,
): Completion {
  const choices = asObjects(body.choices);
  return present<Completion>({
    id: asString(body.id) || context.newId(idPrefix),
    model: modelOf(body, context),
    created: asNumber(body.created),
    choices: (choices.length === 0 ? [{}] : choices).map((choice, index) => readChoice(choice, index, read(choice))),
    usage: readUsage(body.usage),
    serviceTier: asString(body.service_tier),
    systemFingerprint: asString(body.system_fingerprint),
    extra: unknownOf(body, replyFields),
  });
}

/** What a choice says: its parts, and fields that this form has no place for. */
export interface ChoiceContent {
  readonly parts: readonly Part[];
  readonly extra?: JsonObject | undefined;
  readonly logprobs?: JsonObject | undefined;
}

/** The model that answered, or the one that was asked for. */
export function modelOf(body: JsonObject, context: ReplyContext): string {
  return asString(body.model) || asString(context.request.model) || '';
}

/** The fields of an object that are neither known nor null; undefined when there are none. */
export function unknownOf(object: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  const unknown = compact(
    Object.fromEntries(Object.entries(omit(object, known)).map(([key, value]) => [key, value ?? undefined])),
  );
  return Object.keys(unknown).length === 0 ? undefined : unknown;
}

function readChoice(choice: JsonObject, position: number, content: ChoiceContent): Choice {
  const word = finishWord(choice.finish_reason);
  const native = finishWord(choice.native_finish_reason) ?? word;
  const calledTools = content.parts.some((part) => part.type === 'tool-call');
  return present<Choice>({
    index: asNumber(choice.index) ?? position,
    parts: content.parts,
    finish: finishReason(word, calledTools),
    nativeFinish: native,
    logprobs: content.logprobs,
    extra: content.extra,
  });
}

function readMessage(choice: JsonObject, context: ReplyContext): ChoiceContent {
  const message = asObject(choice.message) ?? {};
  const refusal = asString(message.refusal);
  const audio = readSpoken(message.audio);
  const parts: readonly Part[] = [
    ...withCitations(readAnswer(message, context), asObjects(message.annotations)),
    ...(refusal ? [{ type: 'refusal', text: refusal } satisfies Part] : []),
    ...(audio === undefined ? [] : [audio]),
    ...asObjects(message.images).map((image) => readPart(image, context)),
    ...asObjects(message.tool_calls).map((call) => readToolCall(call, asString(call.id) || context.newId('call_'))),
    ...(asObject(message.function_call) === undefined
      ? []
      : readFunctionCall(message.function_call, context.newId('call_'))),
  ];
  const ofMessage = unknownOf(message, messageFields);
  const ofChoice = unknownOf(choice, choiceFields);
  return { parts, extra: ofMessage === undefined ? ofChoice : { ...ofChoice, message: ofMessage } };
}

// The format cites for the message as a whole; the last text is the one that the citations stand behind.
function withCitations(parts: readonly Part[], annotations: readonly JsonObject[]): readonly Part[] {
  if (annotations.length === 0) return parts;
  const last = parts.findLastIndex((part) => part.type === 'text');
  return parts.map((part, index) =>
    index === last && part.type === 'text' ? { ...part, citations: annotations } : part,
  );
}

const replyAudioFormat = 'wav';

/** Reads `message.audio`: `{ id, data, transcript, expires_at }`. The format does not say how the data is coded. */
export function readSpoken(value: Json | undefined, format = replyAudioFormat): AudioPart | undefined {
  const audio = asObject(value);
  if (audio === undefined) return undefined;
  return present<AudioPart>({
    type: 'audio',
    source: { kind: 'base64', mediaType: audioType(format), data: asString(audio.data) ?? '' },
    format,
    transcript: asString(audio.transcript),
    id: asString(audio.id),
    expiresAt: asNumber(audio.expires_at),
  });
}
