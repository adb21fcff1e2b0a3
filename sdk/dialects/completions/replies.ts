import { asObject, asString, compact, type JsonObject, omit } from '../../json.ts';
import { type ChoiceContent, readCompletion, unknownOf } from '../chat/decode-reply.ts';
import { extraOf } from '../chat/encode-reply.ts';
import { writeUsage } from '../chat/usage.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Choice, Completion, FinishReason } from '../neutral.ts';

export const choiceFields: ReadonlySet<string> = new Set(['index', 'text', 'finish_reason', 'native_finish_reason']);

/** Reads a text completion. Its log probabilities have a form of their own and stay in the choice's `extra`. */
export function decodeReply(body: JsonObject, context: ReplyContext): Completion {
  return readCompletion(body, context, 'cmpl-', readText);
}

function readText(choice: JsonObject): ChoiceContent {
  const text = asString(choice.text);
  return {
    parts: text === undefined || text === '' ? [] : [{ type: 'text', text }],
    extra: unknownOf(choice, choiceFields),
  };
}

/** Writes an answer as text completion: its texts joined. */
export function encodeReply(completion: Completion, context: ReplyContext): JsonObject {
  return compact({
    ...extraOf(completion.extra, context),
    id: completion.id || context.newId('cmpl-'),
    object: 'text_completion',
    created: completion.created ?? context.nowSeconds(),
    model: completion.model,
    choices: completion.choices.map((choice) => writeChoice(choice, context)),
    usage: completion.usage && writeUsage(completion.usage, context.strict),
    system_fingerprint: completion.systemFingerprint,
  });
}

const logprobsOnly: ReadonlySet<string> = new Set(['logprobs', 'message']);

function writeChoice(choice: Choice, context: ReplyContext): JsonObject {
  for (const part of choice.parts) {
    if (part.type !== 'text' && part.type !== 'refusal') context.dropped(`message.${part.type}`);
  }
  return compact({
    ...extraOf(choice.extra && omit(choice.extra, logprobsOnly), context),
    text: choice.parts.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join(''),
    index: choice.index,
    logprobs: asObject(choice.extra?.logprobs) ?? null,
    finish_reason: textFinish(choice.finish),
    native_finish_reason: context.strict ? undefined : choice.nativeFinish,
  });
}

/** The format has no tool calls, so an answer that ends with them has stopped. */
export function textFinish(reason: FinishReason): FinishReason {
  return reason === 'tool_calls' ? 'stop' : reason;
}
