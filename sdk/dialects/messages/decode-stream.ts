import type { Frame } from '../../framing/framing.ts';
import { asNumber, asObject, asString, type JsonObject, omit, parseJson } from '../../json.ts';
import type { ReplyContext, StreamDecoder } from '../dialect.ts';
import type { Delta, ProviderFault } from '../neutral.ts';
import { brokenOff, unreadable } from '../stream-faults.ts';
import { UsageMeter } from '../usage-meter.ts';
import { messageExtra } from './decode-reply.ts';
import { faultOf } from './fault.ts';
import { finishOf } from './stop.ts';
import { createBlockReader } from './stream-blocks.ts';
import { usageField, usageRule } from './usage.ts';

const UNTOLD: ProviderFault = { status: 502, message: 'The provider reported an error.' };

const deltaFields: ReadonlySet<string> = new Set(['type', 'delta', 'usage']);

/**
 * Reads the events of a streamed message. Usage is merged over `message_start` and `message_delta`, whose counts are
 * running totals, and given once, with the last event.
 */
export function decodeStream(context: ReplyContext): StreamDecoder {
  const blocks = createBlockReader(context);
  const meter = new UsageMeter(usageRule);
  let started = false;
  let finished = false;
  let ended = false;

  const start = (message: JsonObject): Delta[] => {
    if (started) return [];
    started = true;
    const { usage } = meter;
    const serviceTier = asString(usageField(message)?.service_tier);
    const extra = messageExtra(message);
    return [
      {
        type: 'start',
        id: asString(message.id) || context.newId('msg_'),
        model: asString(message.model) ?? asString(context.request.model) ?? '',
        ...(serviceTier === undefined ? {} : { serviceTier }),
        ...(usage === undefined ? {} : { usage }),
        ...(extra === undefined ? {} : { extra }),
      },
    ];
  };
  const finish = (delta: JsonObject): Delta[] => {
    if (finished) return [];
    finished = true;
    const native = asString(delta.stop_reason);
    const stopSequence = asString(delta.stop_sequence);
    const reason = finishOf(native, blocks.callsTools());
    return [
      ...blocks.stopAll(),
      {
        type: 'finish',
        choice: 0,
        reason,
        ...(native === undefined ? {} : { native }),
        ...(stopSequence === undefined ? {} : { stopSequence }),
      },
    ];
  };
  const end = (): Delta[] => {
    const steps: Delta[] = [...start({}), ...finish({})];
    meter.end();
    const { usage } = meter;
    if (usage !== undefined) steps.push({ type: 'usage', usage });
    ended = true;
    return [...steps, { type: 'end' }];
  };
  const fail = (fault: ProviderFault): Delta[] => {
    ended = true;
    return [{ type: 'fault', fault }];
  };
  const messageDelta = (event: JsonObject): Delta[] => {
    const delta = asObject(event.delta) ?? {};
    meter.see(event);
    const fields = messageExtra({ ...delta, ...omit(event, deltaFields) });
    return [
      ...start({}),
      ...(fields === undefined ? [] : [{ type: 'extra', choice: 0, fields } as const]),
      ...(typeof delta.stop_reason === 'string' ? finish(delta) : []),
    ];
  };

  const read = (event: JsonObject, type: string | undefined): Delta[] => {
    if (finished && type?.startsWith('content_block')) return [];
    const index = asNumber(event.index) ?? 0;
    switch (type) {
      case 'message_start': {
        const message = asObject(event.message) ?? {};
        meter.see(event);
        return start(message);
      }
      case 'content_block_start':
        return [...start({}), ...blocks.start(index, asObject(event.content_block) ?? {})];
      case 'content_block_delta':
        return [...start({}), ...blocks.delta(index, asObject(event.delta) ?? {})];
      case 'content_block_stop':
        return blocks.stop(index);
      case 'message_delta':
        return messageDelta(event);
      case 'message_stop':
        return end();
      default:
        return [];
    }
  };

  return {
    meter,
    push(frame: Frame) {
      if (ended || frame.data === '' || frame.data === '[DONE]') return [];
      const event = asObject(parseJson(frame.data));
      const failed = frame.event === 'error' || frame.kind === 'exception';
      if (event === undefined) return fail(failed ? UNTOLD : unreadable);
      const fault = faultOf(event, 200) ?? (failed ? (faultOf(event, 502) ?? UNTOLD) : undefined);
      return fault === undefined ? read(event, asString(event.type) ?? frame.event) : fail(fault);
    },
    end: () => (ended ? [] : finished ? end() : fail(brokenOff)),
  };
}
