import { asObjects, asString, type Json, type JsonObject } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Completion, Part } from '../neutral.ts';
import { decodeReplyBlock } from './decode-blocks.ts';
import { finishOf } from './stop.ts';
import { decodeUsage, usageField } from './usage.ts';

const replyFields: ReadonlySet<string> = new Set([
  'id',
  'type',
  'role',
  'model',
  'content',
  'stop_reason',
  'stop_sequence',
  'usage',
]);

/** Reads a whole message; blocks that no other dialect has become native parts. Never throws. */
export function decodeReply(body: JsonObject, context: ReplyContext): Completion {
  const parts = asObjects(body.content).map((block) => identified(decodeReplyBlock(block, context), context));
  const stopReason = asString(body.stop_reason);
  const stopSequence = asString(body.stop_sequence);
  const usage = usageField(body);
  const serviceTier = asString(usage?.service_tier);
  const extra = messageExtra(body);
  return {
    id: asString(body.id) || context.newId('msg_'),
    model: asString(body.model) ?? asString(context.request.model) ?? '',
    choices: [
      {
        index: 0,
        parts,
        finish: finishOf(
          stopReason,
          parts.some((part) => part.type === 'tool-call'),
        ),
        ...(stopReason === undefined ? {} : { nativeFinish: stopReason }),
        ...(stopSequence === undefined ? {} : { stopSequence }),
      },
    ],
    ...(usage === undefined ? {} : { usage: decodeUsage(usage) }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** What a message says beyond the neutral form; undefined when that is nothing. */
export function messageExtra(message: JsonObject): JsonObject | undefined {
  const extra: { [key: string]: Json } = {};
  for (const key in message) {
    const value = message[key];
    if (value !== undefined && value !== null && !replyFields.has(key)) extra[key] = value;
  }
  return Object.keys(extra).length === 0 ? undefined : extra;
}

function identified(part: Part, context: ReplyContext): Part {
  return part.type === 'tool-call' && part.id === '' ? { ...part, id: context.newId('toolu_') } : part;
}
