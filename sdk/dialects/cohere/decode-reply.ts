import { asObject, asObjects, asString, type JsonObject, omit } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Choice, Completion } from '../neutral.ts';
import { decodeAnswer } from './decode-messages.ts';
import { finishOf } from './finish.ts';
import { decodeLogprobs } from './logprobs.ts';
import { usageOf } from './usage.ts';

const replyFields = new Set(['id', 'message', 'finish_reason', 'usage', 'logprobs', 'model']);
const messageFields = new Set(['role', 'content', 'tool_plan', 'tool_calls']);

/** Reads a whole reply. Citations stand with their text, and, for clients that know them, in the message as they came. */
export function decodeReply(body: JsonObject, context: ReplyContext): Completion {
  const usage = usageOf(body);
  const extra = omit(body, replyFields);
  return {
    id: asString(body.id) || context.newId('chatcmpl-'),
    model: modelOf(body, context),
    choices: [choiceOf(body, context)],
    ...(usage === undefined ? {} : { usage }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Replies name no model: it is the one that was asked for. */
export function modelOf(body: JsonObject, context: ReplyContext): string {
  return asString(body.model) || asString(context.request.model) || '';
}

function choiceOf(body: JsonObject, context: ReplyContext): Choice {
  const message = asObject(body.message) ?? {};
  const parts = decodeAnswer(message, () => context.newId('call_'));
  const word = asString(body.finish_reason);
  const items = asObjects(body.logprobs);
  const rest = omit(message, messageFields);
  return {
    index: 0,
    parts,
    finish: finishOf(
      word,
      parts.some((part) => part.type === 'tool-call'),
    ),
    ...(word === undefined ? {} : { nativeFinish: word }),
    ...(items.length === 0 ? {} : { logprobs: decodeLogprobs(items) }),
    ...(Object.keys(rest).length === 0 ? {} : { extra: { message: rest } }),
  };
}
