import { sseFrame } from '../../framing/framing.ts';
import { compact, type JsonObject } from '../../json.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import { type ArgumentText, createArgumentText } from '../messages/argument-text.ts';
import type { Delta, Usage } from '../neutral.ts';
import { packToolCallId } from '../tool-call-id.ts';
import { encodeCitation } from './citations.ts';
import { encodeReplyPart, keptExtra, told } from './encode-reply.ts';
import { encodeStreamFault } from './fault.ts';
import { stopReasonOf } from './stop.ts';
import { encodeUsage } from './usage.ts';

type Finish = Extract<Delta, { readonly type: 'finish' }>;
type Said = Extract<Delta, { readonly block: number }>;

/** Writes `messageStart`, the content blocks one after the other, `messageStop` and `metadata`; or an exception. */
export function encodeStream(context: ReplyContext): StreamEncoder {
  let open: { readonly block: number; readonly at: number } | undefined;
  let blocks = 0;
  let input: ArgumentText | undefined;
  let started = false;
  let ended = false;
  let ending: Finish | undefined;
  let usage: Usage | undefined;
  let serviceTier: string | undefined;
  let extra: JsonObject = {};

  const start = (): string => {
    if (started) return '';
    started = true;
    return event('messageStart', { role: 'assistant' });
  };
  const close = (): string => {
    if (open === undefined) return '';
    const contentBlockIndex = open.at;
    const rest = input?.end() ?? '';
    const held =
      rest === '' ? '' : event('contentBlockDelta', { delta: { toolUse: { input: rest } }, contentBlockIndex });
    open = undefined;
    input = undefined;
    return held + event('contentBlockStop', { contentBlockIndex });
  };
  const within = (block: number, begin?: JsonObject): string => {
    if (open?.block === block) return '';
    const closed = close();
    open = { block, at: blocks };
    blocks += 1;
    return (
      closed + (begin === undefined ? '' : event('contentBlockStart', { start: begin, contentBlockIndex: open.at }))
    );
  };
  const say = (block: number, delta: JsonObject): string => {
    const opened = within(block);
    return opened + event('contentBlockDelta', { delta, contentBlockIndex: open?.at ?? 0 });
  };

  const part = (step: Said): string => {
    switch (step.type) {
      case 'tool-call': {
        const toolUse = { toolUseId: packToolCallId(step.id, step.signature), name: step.name };
        const opened = within(step.block, { toolUse });
        input = createArgumentText(step.custom === true);
        return opened;
      }
      case 'tool-arguments': {
        if (open?.block !== step.block) return '';
        const text = input?.push(step.text) ?? '';
        return text === '' ? '' : say(step.block, { toolUse: { input: text } });
      }
      case 'part':
        return encodeReplyPart(step.part, context)
          .map((block) => within(step.block, block))
          .join('');
      default: {
        const delta = deltaOf(step, context);
        return delta === undefined ? '' : say(step.block, delta);
      }
    }
  };
  const end = (): string => {
    ended = true;
    const stopReason = stopReasonOf(ending?.reason ?? 'stop', ending?.native, ending?.stopSequence);
    const { additionalModelResponseFields, metrics, ...rest } = extra;
    const fields = told(ending?.stopSequence, extra);
    const told_ = compact({ additionalModelResponseFields, ...fields });
    const tier = serviceTier === undefined ? undefined : { type: serviceTier };
    const counts = usage === undefined ? undefined : encodeUsage(usage);
    return (
      start() +
      close() +
      event('messageStop', { stopReason, ...told_ }) +
      event('metadata', compact({ usage: counts, metrics: metrics ?? { latencyMs: 0 }, serviceTier: tier, ...rest }))
    );
  };

  const write = (step: Delta): string => {
    switch (step.type) {
      case 'start':
        usage = step.usage;
        serviceTier = step.serviceTier;
        extra = keptExtra(step.extra, context);
        return start();
      case 'usage':
        usage = step.usage;
        return '';
      case 'extra':
        extra = { ...extra, ...keptExtra(step.fields, context) };
        return '';
      case 'finish':
        ending ??= step;
        return start() + close();
      case 'audio':
      case 'logprobs':
        context.dropped(step.type);
        return '';
      case 'fault':
        ended = true;
        return encodeStreamFault(step.fault);
      case 'end':
        return end();
      default:
        return start() + part(step);
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

function event(name: string, data: JsonObject): string {
  return sseFrame(JSON.stringify(data), name);
}

function deltaOf(step: Said, context: ReplyContext): JsonObject | undefined {
  switch (step.type) {
    case 'text':
    case 'refusal':
      return step.text === '' ? undefined : { text: step.text };
    case 'thinking':
      return { reasoningContent: { text: step.text } };
    case 'signature':
      return { reasoningContent: { signature: step.signature } };
    case 'redacted-thinking':
      return { reasoningContent: { redactedContent: step.data } };
    case 'citation': {
      const citation = encodeCitation(step.citation);
      if (citation === undefined) context.dropped('citations');
      return citation === undefined ? undefined : { citation };
    }
    default:
      return undefined;
  }
}
