import { asString, compact, type Json, type JsonObject } from '../../json.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import type { Delta, Usage } from '../neutral.ts';
import { createBlockWriter, event } from './block-writer.ts';
import { keptExtra, serviceTier } from './encode-reply.ts';
import { encodeStreamFault } from './fault.ts';
import { stopReasonOf } from './stop.ts';
import { encodeUsage } from './usage.ts';

type Start = Extract<Delta, { readonly type: 'start' }>;
type Finish = Extract<Delta, { readonly type: 'finish' }>;

/**
 * Writes the events of a streamed message: `message_start`, the content blocks one after the other, `message_delta` with
 * the stop reason and the usage, `message_stop`; or `error`. Only the first choice has a place.
 */
export function encodeStream(context: ReplyContext): StreamEncoder {
  const blocks = createBlockWriter(context);
  let started = false;
  let ended = false;
  let refused = false;
  let ending: Finish | undefined;
  let usage: Usage | undefined;
  let extra: { [key: string]: Json } = {};

  const start = (step?: Start): string => {
    if (started) return '';
    started = true;
    usage = step?.usage;
    return event('message_start', {
      message: {
        id: step?.id ?? context.newId('msg_'),
        type: 'message',
        role: 'assistant',
        model: step?.model ?? asString(context.request.model) ?? '',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: compact({ ...encodeUsage(usage), service_tier: serviceTier(step?.serviceTier) }),
        ...keptExtra(step?.extra, context),
      },
    });
  };
  const end = (): string => {
    ended = true;
    const { reason = 'stop', native, stopSequence } = ending ?? {};
    // The management of the context stands beside the delta, everything else inside.
    const { context_management: management, ...rest } = extra as JsonObject;
    return (
      start() +
      blocks.finish() +
      event(
        'message_delta',
        compact({
          delta: {
            stop_reason: stopReasonOf({ reason, native, stopSequence, refused }),
            stop_sequence: stopSequence ?? null,
            ...rest,
          },
          usage: usage === undefined ? { output_tokens: 0 } : encodeUsage(usage),
          context_management: management,
        }),
      ) +
      event('message_stop', {})
    );
  };

  const write = (step: Delta): string => {
    switch (step.type) {
      case 'start':
        return start(step);
      case 'text':
      case 'citation':
      case 'refusal':
      case 'thinking':
      case 'signature':
      case 'redacted-thinking':
      case 'tool-call':
      case 'tool-arguments':
      case 'part':
        refused ||= step.type === 'refusal';
        return start() + blocks.push(step);
      case 'audio':
      case 'logprobs':
        context.dropped(step.type);
        return '';
      case 'finish':
        ending ??= step;
        return start() + blocks.finish();
      case 'usage':
        usage = step.usage;
        return '';
      case 'extra':
        extra = { ...extra, ...keptExtra(step.fields, context) };
        return '';
      case 'fault':
        ended = true;
        return encodeStreamFault(step.fault);
      case 'end':
        return end();
    }
  };

  return {
    push(step) {
      if (ended) return '';
      if ('choice' in step && step.choice !== undefined && step.choice !== 0) {
        context.dropped('choices');
        return '';
      }
      return write(step);
    },
  };
}
