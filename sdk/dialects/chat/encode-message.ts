import { compact, type Json, type JsonObject } from '../../json.ts';
import { urlOf } from '../data-url.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, Message, Part, ThinkingPart, ToolCallPart, ToolResultPart } from '../neutral.ts';
import { fittingId } from '../short-name.ts';
import { packToolCallId } from '../tool-call-id.ts';
import { cacheFields } from './cache-mark.ts';
import { type Scope, writeParts } from './encode-part.ts';

/**
 * The messages of a request. Each tool result becomes a `tool` message; images, files and audio in results, which such
 * messages cannot hold, move to a user message behind the last result of the turn.
 */
export function writeMessages(call: Call, context: CodecContext): readonly JsonObject[] {
  const scope: Scope = {
    strict: context.strict,
    ...(context.reasoningField === undefined ? {} : { reasoningField: context.reasoningField }),
    dropped: (field) => context.dropped(field),
    own: call.dialect === 'chat',
  };
  const written: JsonObject[] = [];
  let moved: JsonObject[] = [];
  const placeMoved = (): void => {
    if (moved.length > 0) written.push({ role: 'user', content: moved });
    moved = [];
  };
  for (const message of call.messages) {
    const results = message.parts.filter((part) => part.type === 'tool-result');
    const rest = message.parts.filter((part) => part.type !== 'tool-result');
    for (const result of results) {
      const { text, media } = splitResult(result, scope);
      written.push({ ...writeResult(result, text, scope), ...extraFields(message, scope) });
      moved.push(...media);
    }
    if (results.length > 0 && rest.length === 0) continue;
    placeMoved();
    const turn = message.role === 'assistant' ? writeAssistant(message, scope) : writeTurn(message, rest, scope);
    if (turn !== undefined) written.push(turn);
  }
  placeMoved();
  return written;
}

function writeTurn(message: Message, parts: readonly Part[], scope: Scope): JsonObject {
  return compact({
    role: message.role === 'tool' ? 'user' : message.role,
    content: contentOf(writeParts(parts, scope)),
    name: message.name,
    ...extraFields(message, scope),
  });
}

function writeResult(result: ToolResultPart, text: Json, scope: Scope): JsonObject {
  return compact({
    role: 'tool',
    tool_call_id: idOf(result.callId, scope),
    name: scope.own ? result.name : undefined,
    content: text,
    ...cacheFields(result.cache, scope),
  });
}

interface SplitResult {
  readonly text: Json;
  readonly media: readonly JsonObject[];
}

function splitResult(result: ToolResultPart, scope: Scope): SplitResult {
  const content = writeParts(result.content, scope);
  const texts = content.filter((part) => part.type === 'text');
  const others = content.filter((part) => part.type !== 'text');
  if (result.isError === true) texts.unshift({ type: 'text', text: 'The tool failed:' });
  if (others.length === 0) return { text: contentOf(texts), media: [] };
  if (texts.length === 0) texts.push({ type: 'text', text: 'See the next user message.' });
  const label = { type: 'text', text: `Result of the tool call ${idOf(result.callId, scope)}:` };
  return { text: contentOf(texts), media: [label, ...others] };
}

function writeAssistant(message: Message, scope: Scope): JsonObject | undefined {
  const { parts } = message;
  const calls = parts.filter((part) => part.type === 'tool-call');
  const nativeCalls = parts.flatMap((part) => (isNativeCall(part) ? [part.value] : []));
  const content = writeParts(parts.filter(isSpoken), scope);
  const toolCalls = [...calls.map((call) => writeToolCall(call, idOf(call.id, scope))), ...nativeCalls];
  const refusals = parts.flatMap((part) => (part.type === 'refusal' ? [part.text] : []));
  const audio = parts.find((part) => part.type === 'audio');
  const fields = compact({
    refusal: refusals.length > 0 ? refusals.join('') : undefined,
    audio: audio?.id === undefined ? undefined : { id: audio.id },
    tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
  });
  const thinking = compact(replayed(parts, scope));
  const answered = Object.keys(fields).length > 0 || thinking.content_blocks !== undefined;
  // Every part was dropped: a turn without content would be refused.
  if (parts.length > 0 && content.length === 0 && !answered && Object.keys(thinking).length === 0) return undefined;
  return compact({
    role: 'assistant',
    // Thinking alone is no answer: servers that have a field for it refuse null beside it.
    content: content.length > 0 ? contentOf(content) : answered ? null : '',
    name: message.name,
    ...fields,
    ...thinking,
    ...cacheFields(calls.findLast((call) => call.cache !== undefined)?.cache, scope),
    ...extraFields(message, scope),
  });
}

/** The format's maker refuses longer ids in a history. */
const longestId = 40;

function idOf(id: string, { own }: Scope): string {
  return own ? id : fittingId(id, longestId);
}

/** Arguments are JSON in this format, where others may have no text at all. */
export const noArguments = '{}';

/** A call as `tool_calls` holds it for clients: its signature is in the id. */
export function writeSignedCall(call: ToolCallPart): JsonObject {
  return writeToolCall(call, packToolCallId(call.id, call.signature));
}

function writeToolCall(call: ToolCallPart, id: string): JsonObject {
  return call.custom === true
    ? { id, type: 'custom', custom: { name: call.name, input: call.arguments } }
    : { id, type: 'function', function: { name: call.name, arguments: call.arguments || noArguments } };
}

/** The parts that `content_blocks` holds: text, thinking and images. */
export function writeBlocks(parts: readonly Part[]): readonly JsonObject[] {
  return parts.map(writeBlock).filter((block) => block !== undefined);
}

/** A part as block of `content_blocks`; undefined for those that have other fields. */
export function writeBlock(part: Part): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'thinking':
      return compact({ type: 'thinking', thinking: part.text, signature: part.signature });
    case 'redacted-thinking':
      return { type: 'redacted_thinking', data: part.data };
    case 'image': {
      const url = urlOf(part.source);
      return url === undefined ? undefined : { type: 'image_url', image_url: compact({ url, detail: part.detail }) };
    }
    case 'file':
    case 'audio':
    case 'refusal':
    case 'tool-call':
    case 'tool-result':
    case 'native':
      return undefined;
  }
}

// Thinking and images of the assistant go back in `content_blocks`. Servers that sent unsigned thinking as
// `reasoning_content` want it back under that name; those whose own field is known get nothing else.
function replayed(parts: readonly Part[], scope: Scope): { readonly [key: string]: Json | undefined } {
  const thinking = parts.filter((part) => part.type === 'thinking');
  const redacted = parts.some((part) => part.type === 'redacted-thinking');
  const images = parts.some((part) => part.type === 'image');
  if (scope.reasoningField !== undefined) {
    if (redacted) scope.dropped('thinking');
    if (images) scope.dropped('messages.content.image');
    return { [scope.reasoningField]: textOf(thinking) };
  }
  if (scope.strict) {
    if (thinking.length > 0 || redacted) scope.dropped('thinking');
    if (images) scope.dropped('messages.content.image');
    return {};
  }
  if (thinking.length === 0 && !redacted && !images) return {};
  return {
    content_blocks: writeBlocks(parts),
    reasoning_content: redacted ? undefined : unsignedText(thinking),
  };
}

function unsignedText(thinking: readonly ThinkingPart[]): string | undefined {
  return thinking.some((part) => part.signature !== undefined) ? undefined : textOf(thinking);
}

function textOf(thinking: readonly ThinkingPart[]): string | undefined {
  return thinking.length === 0 ? undefined : thinking.map((part) => part.text).join('\n');
}

function isNativeCall(part: Part): part is Extract<Part, { type: 'native' }> {
  return part.type === 'native' && part.dialect === 'chat' && part.value.id !== undefined;
}

function isSpoken(part: Part): boolean {
  switch (part.type) {
    case 'text':
    case 'file':
      return true;
    case 'native':
      return !isNativeCall(part);
    case 'audio':
      return part.id === undefined;
    case 'image':
    case 'tool-call':
    case 'tool-result':
    case 'thinking':
    case 'redacted-thinking':
    case 'refusal':
      return false;
  }
}

// One plain text is a string, which every server of this format takes.
function contentOf(parts: readonly JsonObject[]): Json {
  const [first] = parts;
  if (first === undefined) return '';
  return parts.length === 1 && first.type === 'text' && first.cache_control === undefined ? (first.text ?? '') : parts;
}

function extraFields(message: Message, scope: Scope): JsonObject {
  if (message.extra === undefined) return {};
  if (scope.own) return message.extra;
  for (const field in message.extra) scope.dropped(`messages.${field}`);
  return {};
}
