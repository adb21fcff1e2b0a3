import { compact, type Json, type JsonObject } from '../../json.ts';
import type { Call, Message, Part, TextPart, ToolCallPart, ToolResultPart } from '../neutral.ts';
import { fittingId } from '../short-name.ts';
import { type Target, writeInput, writeOutputText } from './encode-content.ts';
import { isOwnPayload, redactedPrefix } from './signatures.ts';

/** The leading system messages of plain text, as `instructions`, and the rest as `input` items. */
export function writeMessages(call: Call, target: Target): { instructions?: string; input: JsonObject[] } {
  const firstOther = call.messages.findIndex((message) => message.role !== 'system' || !isPlain(message));
  const leading = firstOther === -1 ? call.messages : call.messages.slice(0, firstOther);
  const writer = new ItemWriter(call, target);
  const input = call.messages.slice(leading.length).flatMap((message) => writer.items(message));
  const texts = leading.flatMap((message) => message.parts.flatMap((part) => (part.type === 'text' ? [part] : [])));
  if (!target.own && texts.some((part) => part.cache !== undefined)) target.context.dropped('cache_control');
  const instructions = texts.map((part) => part.text).join('\n\n');
  return instructions === '' ? { input } : { instructions, input };

  function isPlain(message: Message): boolean {
    return message.parts.every((part) => part.type === 'text' && (part.cache === undefined || !target.own));
  }
}

class ItemWriter {
  readonly #target: Target;
  /** Calls with free-text input: the results of some formats do not say which they answer. */
  readonly #custom: ReadonlySet<string>;

  constructor(call: Call, target: Target) {
    this.#target = target;
    const calls = call.messages.flatMap((message) => message.parts.filter((part) => part.type === 'tool-call'));
    this.#custom = new Set(calls.flatMap((part) => (part.custom ? [part.id] : [])));
  }

  items(message: Message): JsonObject[] {
    if (message.name !== undefined) this.#target.context.dropped('name');
    // Fields of a message item, such as its id, belong to one item only.
    let extra = this.#target.own ? message.extra : undefined;
    if (extra === undefined) for (const key in message.extra) this.#target.context.dropped(`messages.${key}`);
    const role = message.role === 'tool' ? 'user' : message.role;
    const items: JsonObject[] = [];
    let content: JsonObject[] = [];
    const flush = (): void => {
      if (content.length > 0) {
        items.push({ ...extra, type: 'message', role, content });
        extra = undefined;
      }
      content = [];
    };
    for (const part of message.parts) {
      const item = this.#item(part);
      if (item !== undefined) {
        flush();
        items.push(...item);
      } else {
        const written = role === 'assistant' ? this.#answer(part) : writeInput(part, this.#target);
        if (written !== undefined) content.push(written);
      }
    }
    flush();
    return items;
  }

  /** The items of a part that is not content; none when it is dropped; undefined for content. */
  #item(part: Part): JsonObject[] | undefined {
    switch (part.type) {
      case 'tool-call':
        return [writeCall(part, this.#target)];
      case 'tool-result':
        return [this.#result(part)];
      case 'thinking':
        return this.#thinking(part.text, part.signature, part.itemId);
      case 'redacted-thinking':
        return this.#redacted(part.data, part.itemId);
      case 'native':
        if (part.dialect === 'responses' && !isContent(part.value)) return [part.value];
        return undefined;
      case 'text':
      case 'image':
      case 'file':
      case 'audio':
      case 'refusal':
        return undefined;
    }
  }

  #answer(part: Part): JsonObject | undefined {
    if (part.type === 'text') return part.text === '' ? undefined : writeOutputText(part, this.#target);
    if (part.type === 'refusal') return { type: 'refusal', refusal: part.text };
    if (part.type === 'native' && part.dialect === 'responses') return part.value;
    if (part.type === 'audio' && part.transcript) {
      return writeOutputText({ type: 'text', text: part.transcript } satisfies TextPart, this.#target);
    }
    this.#target.context.dropped(part.type);
    return undefined;
  }

  #result(part: ToolResultPart): JsonObject {
    if (part.isError === true) this.#target.context.dropped('is_error');
    if (part.cache !== undefined) this.#target.context.dropped('cache_control');
    const custom = part.custom === true || this.#custom.has(part.callId);
    return compact({
      type: custom ? 'custom_tool_call_output' : 'function_call_output',
      call_id: idOf(part.callId, this.#target),
      name: this.#target.own ? part.name : undefined,
      output: this.#output(part.content),
    });
  }

  #output(content: readonly Part[]): Json {
    const [first, second] = content;
    if (first === undefined) return '';
    if (second === undefined && first.type === 'text' && first.cache === undefined) return first.text;
    return content.flatMap((part) => writeInput(part, this.#target) ?? []);
  }

  // Only what this format's providers encrypted can go back to them: signatures of others would be refused.
  #thinking(text: string, signature: string | undefined, itemId: string | undefined): JsonObject[] {
    const known = itemId !== undefined && (this.#target.own || signature !== undefined);
    if (!known && !isOwnPayload(signature ?? '')) {
      this.#target.context.dropped('thinking');
      return [];
    }
    const summary = text === '' ? [] : [{ type: 'summary_text', text }];
    return [compact({ type: 'reasoning', id: itemId, summary, encrypted_content: signature })];
  }

  #redacted(data: string, itemId: string | undefined): JsonObject[] {
    if (this.#target.own && itemId !== undefined) {
      return [compact({ type: 'reasoning', id: itemId, summary: [], encrypted_content: `${redactedPrefix}${data}` })];
    }
    if (isOwnPayload(data)) return [compact({ type: 'reasoning', id: itemId, summary: [], encrypted_content: data })];
    this.#target.context.dropped('redacted_thinking');
    return [];
  }
}

/** The format's maker refuses longer ids. */
const longestId = 64;

function idOf(id: string, { own }: Target): string {
  return own ? id : fittingId(id, longestId);
}

function writeCall(part: ToolCallPart, target: Target): JsonObject {
  const named = { id: part.itemId, call_id: idOf(part.id, target), name: part.name };
  return part.custom
    ? compact({ type: 'custom_tool_call', ...named, input: part.arguments })
    : compact({ type: 'function_call', ...named, arguments: part.arguments || '{}' });
}

/** Unknown content parts and unknown items are kept alike: the names of content tell them apart. */
function isContent(value: JsonObject): boolean {
  return typeof value.type === 'string' && /^(input|output)_/.test(value.type);
}
