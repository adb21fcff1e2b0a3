import type { Frame } from '../../framing/framing.ts';
import { asNumber, asObject, asString, type JsonObject, omit, parseJson } from '../../json.ts';
import type { ReplyContext, StreamDecoder } from '../dialect.ts';
import type { Delta, ProviderFault } from '../neutral.ts';
import { brokenOff, unreadable } from '../stream-faults.ts';
import { UsageMeter } from '../usage-meter.ts';
import { stopSequenceOf } from './decode-reply.ts';
import { exceptionIn, faultOf } from './fault.ts';
import { finishOf } from './stop.ts';
import { createBlockReader } from './stream-blocks.ts';
import { usageRule } from './usage.ts';

/** `p` is padding that hides the length of events. */
const stopFields: ReadonlySet<string> = new Set(['stopReason', 'p']);
const metadataFields: ReadonlySet<string> = new Set(['usage', 'serviceTier', 'p']);

/**
 * Reads the events of `ConverseStream`, named by their frames. `messageStop` ends the answer and `metadata`, which brings the
 * counts, the stream; a stream that closes between them is complete.
 */
export function decodeStream(context: ReplyContext): StreamDecoder {
  const blocks = createBlockReader(context);
  const meter = new UsageMeter(usageRule);
  let started = false;
  let finished = false;
  let ended = false;

  const start = (): Delta[] => {
    if (started) return [];
    started = true;
    const model = asString(context.request.model) ?? '';
    return [{ type: 'start', id: context.newId('conv-'), model, created: context.nowSeconds() }];
  };
  const extra = (event: JsonObject, read: ReadonlySet<string>): Delta[] => {
    const fields = omit(event, read);
    return Object.keys(fields).length === 0 ? [] : [{ type: 'extra', fields }];
  };
  const finish = (event: JsonObject): Delta[] => {
    if (finished) return [];
    finished = true;
    const native = asString(event.stopReason);
    const stopSequence = stopSequenceOf(event);
    return [
      ...start(),
      ...blocks.stopAll(),
      ...extra(event, stopFields),
      {
        type: 'finish',
        choice: 0,
        reason: finishOf(native, blocks.callsTools()),
        ...(native === undefined ? {} : { native }),
        ...(stopSequence === undefined ? {} : { stopSequence }),
      },
    ];
  };
  const end = (): Delta[] => {
    ended = true;
    meter.end();
    const { usage } = meter;
    return [...(usage === undefined ? [] : [{ type: 'usage', usage } as const]), { type: 'end' }];
  };
  const fail = (fault: ProviderFault): Delta[] => {
    ended = true;
    return [{ type: 'fault', fault }];
  };
  const read = (event: JsonObject, name: string | undefined): Delta[] => {
    const index = asNumber(event.contentBlockIndex) ?? 0;
    if (finished && name?.startsWith('contentBlock')) return [];
    switch (name) {
      case 'messageStart':
        return start();
      case 'contentBlockStart':
        return [...start(), ...blocks.start(index, asObject(event.start) ?? {})];
      case 'contentBlockDelta':
        return [...start(), ...blocks.delta(index, asObject(event.delta) ?? {})];
      case 'contentBlockStop':
        return blocks.stop(index);
      case 'messageStop':
        return finish(event);
      case 'metadata': {
        const more = [...start(), ...extra(event, metadataFields)];
        return finished ? [...more, ...end()] : more;
      }
      default:
        return [];
    }
  };

  return {
    meter,
    push(frame: Frame) {
      if (ended) return [];
      const exception = exceptionIn(frame);
      if (exception !== undefined) return fail(exception);
      const event = asObject(parseJson(frame.data));
      if (event === undefined) return frame.data === '' ? [] : fail(unreadable);
      const fault = frame.event === undefined ? faultOf(event, 200) : undefined;
      if (fault !== undefined) return fail(fault);
      meter.see(event);
      return read(event, frame.event);
    },
    end: () => (ended ? [] : finished ? end() : fail(brokenOff)),
  };
}
