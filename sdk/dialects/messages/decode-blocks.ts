import { asArray, asBoolean, asObject, asObjects, asString, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { FilePart, NativePart, Part, Source } from '../neutral.ts';
import { unpackToolCallId } from '../tool-call-id.ts';
import { cacheOf } from './cache.ts';

type Read = (block: JsonObject, context: CodecContext) => Part | undefined;

/** How each kind of block is read; undefined means that only this dialect can say it. */
const readers: ReadonlyMap<unknown, Read> = new Map<unknown, Read>([
  ['text', readText],
  ['image', readImage],
  ['document', readDocument],
  ['tool_use', readToolUse],
  ['tool_result', readToolResult],
  ['search_result', readSearchResult],
  ['thinking', readThinking],
  ['redacted_thinking', (block) => ({ type: 'redacted-thinking', data: asString(block.data) ?? '' })],
]);

/** Fields with a neutral place, by kind of block; any other is reported as dropped. */
const known: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['type', 'text', 'citations', 'cache_control']),
  image: new Set(['type', 'source', 'cache_control']),
  document: new Set(['type', 'source', 'title', 'context', 'citations', 'cache_control']),
  tool_use: new Set(['type', 'id', 'name', 'input', 'cache_control']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']),
  search_result: new Set(['type', 'source', 'title', 'content', 'citations', 'cache_control']),
  thinking: new Set(['type', 'thinking', 'signature']),
  redacted_thinking: new Set(['type', 'data']),
};

/** A block of a request's history. A call that belongs to a server tool stays native: it means nothing without its tool. */
export function decodeBlock(block: JsonObject, context: CodecContext): Part {
  return belongsToServerTool(block) ? native(block) : decodeReplyBlock(block, context);
}

/** A block of a reply: every `tool_use` is a call for the client to answer, whoever made it. */
export function decodeReplyBlock(block: JsonObject, context: CodecContext): Part {
  const part = readers.get(block.type)?.(block, context);
  if (part === undefined) return native(block);
  reportUnknown(block, context);
  return part;
}

/** The parts of a `content` that is a string or a list of blocks; anything else is empty. */
export function decodeContent(content: unknown, context: CodecContext): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asObjects(content).map((block) => decodeBlock(block, context));
}

function native(value: JsonObject): NativePart {
  return { type: 'native', dialect: 'messages', value };
}

function belongsToServerTool(block: JsonObject): boolean {
  const caller = asObject(block.caller)?.type;
  return (caller !== undefined && caller !== 'direct') || asString(block.toolset_name) !== undefined;
}

function reportUnknown(block: JsonObject, context: CodecContext): void {
  const type = String(block.type);
  for (const field in block) {
    const direct = field === 'caller' && asObject(block.caller)?.type === 'direct';
    if (!direct && block[field] !== null && !known[type]?.has(field)) context.dropped(`${type}.${field}`);
  }
}

function readText(block: JsonObject): Part {
  const citations = asObjects(block.citations);
  return {
    type: 'text',
    text: asString(block.text) ?? '',
    ...(citations.length === 0 ? {} : { citations }),
    ...cacheOf(block),
  };
}

function readThinking(block: JsonObject): Part {
  const signature = asString(block.signature);
  return { type: 'thinking', text: asString(block.thinking) ?? '', ...(signature ? { signature } : {}) };
}

function readToolUse(block: JsonObject): Part {
  return {
    type: 'tool-call',
    ...unpackToolCallId(asString(block.id) ?? ''),
    name: asString(block.name) ?? '',
    arguments: JSON.stringify(block.input ?? {}),
    ...cacheOf(block),
  };
}

function readToolResult(block: JsonObject, context: CodecContext): Part {
  const isError = asBoolean(block.is_error);
  return {
    type: 'tool-result',
    callId: unpackToolCallId(asString(block.tool_use_id) ?? '').id,
    content: decodeContent(block.content, context),
    ...(isError === undefined ? {} : { isError }),
    ...cacheOf(block),
  };
}

/** What the client itself has found: other formats have no such block, but their models read it as text. */
function readSearchResult(block: JsonObject): Part {
  const texts = asObjects(block.content).map((item) => asString(item.text) ?? '');
  const text = [asString(block.title), asString(block.source), ...texts].filter(Boolean).join('\n\n');
  return { type: 'text', text, original: native(block), ...cacheOf(block) };
}

function readImage(block: JsonObject): Part | undefined {
  const source = readSource(asObject(block.source), '');
  return source === undefined ? undefined : { type: 'image', source, ...cacheOf(block) };
}

function readDocument(block: JsonObject): Part | undefined {
  const source = documentSource(asObject(block.source));
  if (source === undefined) return undefined;
  const title = asString(block.title);
  const context = asString(block.context);
  const citations = asBoolean(asObject(block.citations)?.enabled);
  return {
    type: 'file',
    source,
    ...(title === undefined ? {} : { title }),
    ...(context === undefined ? {} : { context }),
    ...(citations === undefined ? {} : { citations }),
    ...cacheOf(block),
  };
}

function documentSource(source: JsonObject | undefined): FilePart['source'] | undefined {
  if (source?.type === 'text') {
    const mediaType = asString(source.media_type) ?? 'text/plain';
    return { kind: 'text', mediaType, text: asString(source.data) ?? '' };
  }
  if (source?.type === 'content') return joinedText(source.content);
  return readSource(source, 'application/pdf');
}

// Only the chunk borders, which place citations, are lost; as a native part the whole document would be.
function joinedText(content: unknown): FilePart['source'] | undefined {
  if (typeof content === 'string') return { kind: 'text', mediaType: 'text/plain', text: content };
  const texts = asArray(content).map((item) => {
    const block = asObject(item);
    return block?.type === 'text' ? asString(block.text) : undefined;
  });
  if (texts.includes(undefined)) return undefined;
  return { kind: 'text', mediaType: 'text/plain', text: texts.join('\n\n') };
}

function readSource(source: JsonObject | undefined, mediaType: string): Source | undefined {
  const url = asString(source?.url);
  const data = asString(source?.data);
  const id = asString(source?.file_id);
  if (source?.type === 'url' && url !== undefined) return { kind: 'url', url };
  if (source?.type === 'file' && id !== undefined) return { kind: 'file-id', id };
  if (source?.type !== 'base64' || data === undefined) return undefined;
  return { kind: 'base64', mediaType: asString(source.media_type) ?? mediaType, data };
}
