import type { Frame } from '../../framing/framing.ts';
import { asArray, asNumber, asObject, asString, type JsonObject, parseJson } from '../../json.ts';
import type { ReplyContext, StreamDecoder } from '../dialect.ts';
import type { Delta, ProviderFault } from '../neutral.ts';
import { present } from '../present.ts';
import { brokenOff, unreadable } from '../stream-faults.ts';
import { UsageMeter } from '../usage-meter.ts';
import { responseOf } from './decode-reply.ts';
import { faultOf } from './fault.ts';
import { finishOf } from './finish.ts';
import { StreamItems } from './stream-items.ts';
import { usageRule } from './usage.ts';

type Reader = (items: StreamItems, event: JsonObject) => void;

const content = (event: JsonObject): string => String(asNumber(event.content_index) ?? 0);
const summary = (event: JsonObject): string => `summary ${asNumber(event.summary_index) ?? 0}`;
const thought = (event: JsonObject): string => `content ${asNumber(event.content_index) ?? 0}`;
const fragment = (event: JsonObject): string => asString(event.delta) ?? '';

/** What each event adds. Events that are not here repeat what others say, or are unknown. */
const readers: Readonly<Record<string, Reader>> = {
  'response.output_item.added': (items, event) => {
    const item = asObject(event.item);
    if (item !== undefined) items.add(event, item);
  },
  'response.output_item.done': (items, event) => {
    const item = asObject(event.item);
    if (item !== undefined) items.finish(event, item);
  },
  'response.content_part.done': (items, event) => {
    const part = asObject(event.part);
    if (part?.type === 'output_text' || part?.type === 'refusal') {
      items.of(event, 'message').contentPart(content(event), part);
    }
  },
  'response.output_text.delta': (items, event) => {
    const item = items.of(event, 'message');
    item.text(content(event), fragment(event));
    item.logprobs(asArray(event.logprobs));
  },
  'response.output_text.done': (items, event) => {
    const item = items.of(event, 'message');
    item.text(content(event), item.missing(content(event), event.text));
  },
  'response.output_text.annotation.added': (items, event) => {
    const annotation = asObject(event.annotation);
    if (annotation !== undefined) items.of(event, 'message').citation(content(event), annotation);
  },
  'response.refusal.delta': (items, event) => items.of(event, 'message').refusal(content(event), fragment(event)),
  'response.refusal.done': (items, event) => {
    const item = items.of(event, 'message');
    item.refusal(content(event), item.missing(content(event), event.refusal));
  },
  'response.function_call_arguments.delta': (items, event) => {
    items.of(event, 'function_call').arguments(fragment(event));
  },
  'response.function_call_arguments.done': (items, event) => {
    const item = items.of(event, 'function_call');
    item.named(asString(event.name) || undefined);
    item.arguments(item.missing('call', event.arguments));
  },
  'response.custom_tool_call_input.delta': (items, event) => {
    items.of(event, 'custom_tool_call').arguments(fragment(event));
  },
  'response.custom_tool_call_input.done': (items, event) => {
    const item = items.of(event, 'custom_tool_call');
    item.arguments(item.missing('call', event.input));
  },
  'response.reasoning_summary_text.delta': (items, event) => {
    items.of(event, 'reasoning').thinking(summary(event), fragment(event));
  },
  'response.reasoning_summary_text.done': (items, event) => {
    const item = items.of(event, 'reasoning');
    item.thinking(summary(event), item.missing(summary(event), event.text));
  },
  'response.reasoning_text.delta': (items, event) => {
    items.of(event, 'reasoning').thinking(thought(event), fragment(event));
  },
  'response.reasoning_text.done': (items, event) => {
    const item = items.of(event, 'reasoning');
    item.thinking(thought(event), item.missing(thought(event), event.text));
  },
};

const statuses: Readonly<Record<string, string>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
};

/** Reads the events of one streamed response. */
export function decodeStream(context: ReplyContext): StreamDecoder {
  const items = new StreamItems();
  const meter = new UsageMeter(usageRule);
  let started = false;
  let ended = false;

  const start = (response: JsonObject): readonly Delta[] => {
    if (started) return [];
    started = true;
    return [
      present<Extract<Delta, { type: 'start' }>>({
        type: 'start',
        id: asString(response.id) || context.newId('resp_'),
        model: asString(response.model) ?? asString(context.request.model) ?? '',
        created: asNumber(response.created_at),
        serviceTier: asString(response.service_tier),
      }),
    ];
  };

  const fail = (fault: ProviderFault): readonly Delta[] => {
    ended = true;
    items.endAll();
    return [...items.drain(), { type: 'fault', fault }];
  };

  const finish = (event: JsonObject, status: string): readonly Delta[] => {
    ended = true;
    const response = { status, ...responseOf(event) };
    items.complete(response);
    meter.end();
    const { usage } = meter;
    return [
      ...items.drain(),
      { type: 'finish', choice: 0, ...finishOf(response, items.calledTools) },
      ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
      { type: 'end' },
    ];
  };

  const push = (frame: Frame): readonly Delta[] => {
    if (ended || frame.data === '' || frame.data === '[DONE]') return [];
    const event = asObject(parseJson(frame.data));
    if (event === undefined) return fail(unreadable);
    const type = asString(event.type) ?? frame.event ?? '';
    if (event.response !== undefined) meter.see(event);
    const fault = faultOf(event.type === type ? event : { ...event, type }, 200);
    if (fault !== undefined) return fail(fault);
    if (!type.startsWith('response.')) return [];

    const first = start(responseOf(event));
    const status = Object.hasOwn(statuses, type) ? statuses[type] : undefined;
    if (status !== undefined) return [...first, ...finish(event, status)];
    if (Object.hasOwn(readers, type)) readers[type]?.(items, event);
    return [...first, ...items.drain()];
  };

  return { meter, push, end: () => (ended ? [] : fail(brokenOff)) };
}
