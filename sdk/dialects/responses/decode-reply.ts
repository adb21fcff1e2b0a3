import { GatewayError } from '../../errors.ts';
import { asArray, asNumber, asObject, asObjects, asString, type JsonObject, omit } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import { lookup } from '../lookup.ts';
import type { Choice, Completion, ImagePart, Part, ToolCallPart } from '../neutral.ts';
import { present } from '../present.ts';
import { native, readContent } from './decode-content.ts';
import { readCall, reasoningText } from './decode-items.ts';
import { faultOf } from './fault.ts';
import { finishOf } from './finish.ts';
import { echoed } from './response-object.ts';
import { thinkingOf } from './signatures.ts';
import { readUsage } from './usage.ts';

const known: ReadonlySet<string> = new Set([
  ...['id', 'object', 'model', 'created_at', 'completed_at', 'status', 'error', 'incomplete_details'],
  ...['output', 'output_text', 'usage', ...echoed],
]);

/**
 * Reads a response object.
 *
 * @throws GatewayError `upstream_error`, with the provider's message and the status that fits, for a failed response
 */
export function decodeReply(body: JsonObject, context: ReplyContext): Completion {
  const fault = faultOf(body, 200);
  if (fault !== undefined) {
    const { status, message, type } = fault;
    throw new GatewayError('upstream_error', message, type === undefined ? { status } : { status, type });
  }
  const output = asObjects(body.output);
  const parts = output.flatMap((item) => readOutputItem(item, context));
  const { reason, native: word } = finishOf(
    body,
    parts.some((part) => part.type === 'tool-call'),
  );
  const logprobs = output.flatMap((item) => asObjects(item.content).flatMap((part) => asArray(part.logprobs)));
  const extra = omit(body, known);
  return present<Completion>({
    id: asString(body.id) || context.newId('resp_'),
    model: asString(body.model) ?? asString(context.request.model) ?? '',
    created: asNumber(body.created_at),
    choices: [
      present<Choice>({
        index: 0,
        parts,
        finish: reason,
        nativeFinish: word,
        logprobs: logprobs.length === 0 ? undefined : { content: logprobs, refusal: null },
      }),
    ],
    usage: readUsage(body.usage),
    serviceTier: asString(body.service_tier),
    extra: Object.keys(extra).length === 0 ? undefined : extra,
  });
}

/** The parts of one output item. Reasoning that holds neither text nor payload says nothing. */
function readOutputItem(item: JsonObject, context: ReplyContext): readonly Part[] {
  switch (item.type) {
    case 'message':
      return readContent(item.content);
    case 'reasoning': {
      const part = thinkingOf(item, reasoningText(item));
      return part.type === 'thinking' && part.text === '' && part.signature === undefined ? [] : [part];
    }
    case 'function_call':
    case 'custom_tool_call':
      return [identified(readCall(item), context)];
    default:
      return [wholePart(item)];
  }
}

function identified(call: ToolCallPart, context: ReplyContext): ToolCallPart {
  return call.id === '' ? { ...call, id: context.newId('call_') } : call;
}

/** A generated image, or an item that only this format has. */
export function wholePart(item: JsonObject): Part {
  const result = asString(item.result);
  if (item.type !== 'image_generation_call' || !result) return native(item);
  const mediaType = lookup(imageTypes, asString(item.output_format) ?? '') ?? 'image/png';
  return { type: 'image', source: { kind: 'base64', mediaType, data: result } } satisfies ImagePart;
}

const imageTypes: Readonly<Record<string, string>> = {
  webp: 'image/webp',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  svg: 'image/svg+xml',
};

/** The response object of an event, or an empty one. */
export function responseOf(event: JsonObject): JsonObject {
  return asObject(event.response) ?? {};
}
