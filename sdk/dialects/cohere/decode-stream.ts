import type { Frame } from '../../framing/frame.ts';
import { asObject, asString, type JsonObject, parseJson } from '../../json.ts';
import type { ReplyContext, StreamDecoder } from '../dialect.ts';
import type { Delta, ProviderFault } from '../neutral.ts';
import { UsageMeter } from '../usage-meter.ts';
import { modelOf } from './decode-reply.ts';
import { faultOf } from './fault.ts';
import { finishOf } from './finish.ts';
import { decodeLogprobs } from './logprobs.ts';
import { StreamParts } from './stream-parts.ts';
import { usageRule } from './usage.ts';

const brokenOff: ProviderFault = { status: 502, message: 'The provider closed the stream before it was complete.' };
const unreadable: ProviderFault = {
  status: 502,
  message: 'The provider sent an event that is not in the format of its stream.',
};

/** Reads a stream of events from `message-start` to `message-end`. Counts come with the last event alone. */
export function decodeStream(context: ReplyContext): StreamDecoder {
  const meter = new UsageMeter(usageRule);
  const parts = new StreamParts(() => context.newId('call_'));
  let started = false;
  let closed = false;

  const start = (event: JsonObject): readonly Delta[] => {
    if (started) return [];
    started = true;
    const id = asString(event.id) || context.newId('chatcmpl-');
    return [{ type: 'start', id, model: modelOf(event, context), created: context.nowSeconds() }];
  };

  const finish = (event: JsonObject): readonly Delta[] => {
    closed = true;
    meter.end();
    const native = asString(asObject(event.delta)?.finish_reason);
    const rest = parts.close();
    const reason = finishOf(native, parts.callsTools);
    const { usage } = meter;
    return [
      ...rest,
      { type: 'finish', choice: 0, reason, ...(native === undefined ? {} : { native }) },
      ...(usage === undefined ? [] : [{ type: 'usage', usage } satisfies Delta]),
      { type: 'end' },
    ];
  };

  const fail = (fault: ProviderFault): readonly Delta[] => {
    closed = true;
    const { usage } = meter;
    return [...(usage === undefined ? [] : [{ type: 'usage', usage } satisfies Delta]), { type: 'fault', fault }];
  };

  const read = (event: JsonObject, type: string | undefined): readonly Delta[] => {
    meter.see(event);
    const opened = start(event);
    if (type === 'message-end') return [...opened, ...finish(event)];
    const logprobs = asObject(event.logprobs);
    return [
      ...opened,
      ...parts.read(event, type),
      ...(logprobs === undefined
        ? []
        : [{ type: 'logprobs', choice: 0, logprobs: decodeLogprobs([logprobs]) } satisfies Delta]),
    ];
  };

  return {
    meter,
    push(frame: Frame) {
      const data = frame.data.trim();
      if (closed || data === '' || data === '[DONE]') return [];
      const event = asObject(parseJson(data));
      if (event === undefined) return fail(unreadable);
      const fault = faultOf(event, 200);
      return fault === undefined ? read(event, asString(event.type) ?? frame.event) : fail(fault);
    },
    end: () => (closed ? [] : fail(brokenOff)),
  };
}
