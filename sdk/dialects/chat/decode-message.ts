import { asObject, asObjects, asString, type Json, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { lookup } from '../lookup.ts';
import type { CacheMark, Message, Part, Role, ToolCallPart, ToolResultPart } from '../neutral.ts';
import { present } from '../present.ts';
import { unpackToolCallId } from '../tool-call-id.ts';
import { readCacheMark } from './cache-mark.ts';
import { readContent, readPart } from './decode-part.ts';

/** Reads the messages of a request. Tool results of the deprecated `function` role get the id of the call that they answer. */
export function readMessages(body: JsonObject, context: CodecContext): readonly Message[] {
  const audioFormat = asString(asObject(body.audio)?.format) ?? 'wav';
  const openFunctionCalls = new Map<string, string>();
  return asObjects(body.messages).map((message, index) => {
    const functionCall = asObject(message.function_call);
    if (functionCall !== undefined) openFunctionCalls.set(asString(functionCall.name) ?? '', functionCallId(index));
    switch (message.role) {
      case 'assistant':
        return readAssistant(message, functionCallId(index), audioFormat, context);
      case 'tool':
        return readToolResult(message, unpackToolCallId(asString(message.tool_call_id) ?? '').id, context);
      case 'function':
        return readToolResult(
          message,
          openFunctionCalls.get(asString(message.name) ?? '') ?? functionCallId(index),
          context,
        );
      default:
        return readTurn(message, context);
    }
  });
}

// The deprecated form has no ids; the place in the conversation makes one that stays the same when it is sent again.
function functionCallId(index: number): string {
  return `call_${index}`;
}

const turnRoles: Readonly<Record<string, Role>> = { system: 'system', developer: 'developer', user: 'user' };
const turnFields: ReadonlySet<string> = new Set(['role', 'content', 'name', 'cache_control']);

function readTurn(message: JsonObject, context: CodecContext): Message {
  return present<Message>({
    role: lookup(turnRoles, asString(message.role) ?? '') ?? 'user',
    parts: withCache(readContent(message.content, context), readCacheMark(message.cache_control)),
    name: asString(message.name),
    extra: extraOf(message, turnFields),
  });
}

const resultFields: ReadonlySet<string> = new Set(['role', 'content', 'name', 'tool_call_id', 'cache_control']);

function readToolResult(message: JsonObject, callId: string, context: CodecContext): Message {
  const result = present<ToolResultPart>({
    type: 'tool-result',
    callId,
    name: asString(message.name),
    content: readContent(message.content, context),
    cache: readCacheMark(message.cache_control),
  });
  return present<Message>({ role: 'tool', parts: [result], extra: extraOf(message, resultFields) });
}

const assistantFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'cache_control',
  'tool_calls',
  'function_call',
  'refusal',
  'audio',
  'content_blocks',
  'reasoning_content',
  'reasoning',
]);

function readAssistant(message: JsonObject, callId: string, audioFormat: string, context: CodecContext): Message {
  const audioId = asString(asObject(message.audio)?.id);
  const refusal = asString(message.refusal);
  const parts: readonly Part[] = [
    ...readAnswer(message, context),
    ...(refusal ? [{ type: 'refusal', text: refusal } satisfies Part] : []),
    ...(audioId === undefined
      ? []
      : [{ type: 'audio', source: { kind: 'file-id', id: audioId }, format: audioFormat, id: audioId } satisfies Part]),
    ...asObjects(message.tool_calls).map((call) => readToolCall(call, '')),
    ...readFunctionCall(message.function_call, callId),
  ];
  return present<Message>({
    role: 'assistant',
    parts: withCache(parts, readCacheMark(message.cache_control)),
    name: asString(message.name),
    extra: extraOf(message, assistantFields),
  });
}

/**
 * Thinking and content of an assistant message. `content_blocks` holds both in their order and replaces `content`; when it
 * holds no text, the content is kept after it.
 */
export function readAnswer(message: JsonObject, context: CodecContext): readonly Part[] {
  const blocks = asObjects(message.content_blocks).map((block) => readPart(block, context));
  if (blocks.some((block) => block.type === 'text')) return blocks;
  const reasoning = asString(message.reasoning_content) || asString(message.reasoning);
  const thinking: readonly Part[] = reasoning && blocks.length === 0 ? [{ type: 'thinking', text: reasoning }] : [];
  return [...blocks, ...thinking, ...readContent(message.content, context)];
}

/** Reads one of `tool_calls`. A call of an unknown type is kept as native part: only such a part's value has an `id`. */
export function readToolCall(call: JsonObject, fallbackId: string): Part {
  const { id, signature } = unpackToolCallId(asString(call.id) || fallbackId);
  const custom = asObject(call.custom);
  if (custom !== undefined) {
    return present<ToolCallPart>({
      type: 'tool-call',
      id,
      name: asString(custom.name) ?? '',
      arguments: argumentText(custom.input),
      custom: true,
      signature,
    });
  }
  const called = asObject(call.function);
  if (called === undefined) return { type: 'native', dialect: 'chat', value: { ...call, id: call.id ?? fallbackId } };
  return present<ToolCallPart>({
    type: 'tool-call',
    id,
    name: asString(called.name) ?? '',
    arguments: argumentText(called.arguments),
    signature,
  });
}

/** Reads the deprecated `function_call`. */
export function readFunctionCall(value: Json | undefined, id: string): readonly Part[] {
  const call = asObject(value);
  if (call === undefined) return [];
  return [{ type: 'tool-call', id, name: asString(call.name) ?? '', arguments: argumentText(call.arguments) }];
}

/** Arguments as text; some clients and servers send the object itself. */
export function argumentText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// A mark on the whole message ends the cached prefix with its last part.
function withCache(parts: readonly Part[], cache: CacheMark | undefined): readonly Part[] {
  if (cache === undefined) return parts;
  const last = parts.findLastIndex(isCacheable);
  return parts.map((part, index) => (index === last && isCacheable(part) ? { cache, ...part } : part));
}

function isCacheable(part: Part): part is Extract<Part, { readonly cache?: CacheMark }> {
  switch (part.type) {
    case 'text':
    case 'image':
    case 'file':
    case 'audio':
    case 'tool-call':
    case 'tool-result':
      return true;
    case 'thinking':
    case 'redacted-thinking':
    case 'refusal':
    case 'native':
      return false;
  }
}

function extraOf(message: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  const extra = omit(message, known);
  return Object.keys(extra).length === 0 ? undefined : extra;
}
