import { asString, compact, type Json, type JsonObject } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Part, ToolCallPart } from '../neutral.ts';
import { packToolCallId } from '../tool-call-id.ts';
import { foreignPrefix } from './signatures.ts';

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** An id of this format's form: the given one when it has it, else a new one. */
export function itemId(id: string | undefined, prefix: string, context: ReplyContext): string {
  return id?.startsWith(prefix) ? id : context.newId(prefix);
}

/** The id of a reasoning item; a new one tells that no provider of this format made the item. */
export function reasoningId(id: string | undefined, context: ReplyContext): string {
  return id?.startsWith('rs_') ? id : context.newId(foreignPrefix);
}

export function messageItem(id: string, status: ItemStatus, content: readonly Json[]): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content };
}

export function textContent(text: string, annotations: readonly Json[], logprobs: readonly Json[]): JsonObject {
  return { type: 'output_text', text, annotations, logprobs };
}

export function reasoningItem(id: string, text: string, payload: string | undefined): JsonObject {
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return compact({ id, type: 'reasoning', summary, encrypted_content: payload });
}

/** What a call item needs to know of the call. */
export type NamedCall = Pick<ToolCallPart, 'id' | 'name'> & {
  readonly custom?: boolean;
  readonly itemId?: string;
  readonly signature?: string;
};

export function callItemId(call: NamedCall, context: ReplyContext): string {
  return itemId(call.itemId, call.custom ? 'ctc_' : 'fc_', context);
}

export function callItem(id: string, status: ItemStatus, call: NamedCall, text: string): JsonObject {
  const named = { status, call_id: packToolCallId(call.id, call.signature), name: call.name };
  return call.custom
    ? { id, type: 'custom_tool_call', ...named, input: text }
    : { id, type: 'function_call', ...named, arguments: text };
}

/** A part that does not come in pieces, as an item; undefined, and said so, when this format has none for it. */
export function wholeItem(part: Part, context: ReplyContext): JsonObject | undefined {
  if (part.type === 'native' && part.dialect === 'responses') {
    const id = asString(part.value.id) || context.newId('item_');
    return { ...part.value, id };
  }
  if (part.type === 'image' && part.source.kind === 'base64') {
    const { data, mediaType } = part.source;
    const format = mediaType.replace(/^image\/(\w+).*$/, '$1');
    return compact({
      id: context.newId('ig_'),
      type: 'image_generation_call',
      status: 'completed',
      output_format: format,
      result: data,
    });
  }
  context.dropped(part.type);
  return undefined;
}
