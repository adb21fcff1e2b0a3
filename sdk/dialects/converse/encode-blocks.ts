import { compact, type Json, type JsonObject } from '../../json.ts';
import { toolId, toolInput } from '../messages/tool-input.ts';
import type { CacheMark, Part, ToolCallPart, ToolResultPart } from '../neutral.ts';
import { shortName } from '../short-name.ts';
import { makerOf } from '../signature.ts';
import { type DocumentNames, encodeMedia, unsupported } from './media.ts';

export interface BlockOptions {
  /** The parts come from this format: nothing is left out. */
  readonly same: boolean;
  /** Without tools the API takes no history of calls: it is told in words. */
  readonly toolsInWords: boolean;
  readonly names: DocumentNames;
  dropped(field: string): void;
}

/** The blocks of one part; those of tool results must come first in their turn. */
export interface PartBlocks {
  readonly blocks: readonly JsonObject[];
  readonly result: boolean;
}

/**
 * The blocks that say a part, with the cache point behind it: none when the API would refuse it (blank text, thinking
 * without a signature) or when only another dialect could say it.
 * @throws GatewayError `translation_unsupported` for content that the API cannot take
 */
export function encodePart(part: Part, path: string, options: BlockOptions): PartBlocks {
  const blocks = bare(part, path, options);
  const mark = 'cache' in part ? part.cache : undefined;
  if (mark !== undefined && blocks.length === 0) options.dropped('cache_control');
  const result = part.type === 'tool-result' && !options.toolsInWords;
  return { blocks: mark === undefined || blocks.length === 0 ? blocks : [...blocks, cachePoint(mark)], result };
}

export function cachePoint(mark: CacheMark): JsonObject {
  return { cachePoint: compact({ type: 'default', ttl: mark.ttl }) };
}

function bare(part: Part, path: string, options: BlockOptions): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      if (part.citations !== undefined && !options.same) options.dropped('citations');
      if (part.citations !== undefined && options.same) return [cited(part.text, part.citations)];
      return textBlocks(part.text);
    case 'refusal':
      return textBlocks(part.text);
    case 'image':
      if (part.detail !== undefined && part.detail !== 'auto') options.dropped('image_url.detail');
      return [encodeMedia(part, path, options.names)];
    case 'file':
      return [encodeMedia(part, path, options.names)];
    case 'audio':
      // Sound of an earlier turn: its words are what matters to the model.
      if (part.transcript !== undefined && !options.same) return textBlocks(part.transcript);
      return [encodeMedia(part, path, options.names)];
    case 'tool-call':
      return options.toolsInWords ? textBlocks(callInWords(part)) : [encodeToolCall(part)];
    case 'tool-result':
      return options.toolsInWords ? resultInWords(part, path, options) : [encodeToolResult(part, path, options)];
    case 'thinking':
      if (part.signature && part.itemId === undefined && isOwn(part.signature)) {
        return [reasoning(part.text, part.signature)];
      }
      if (options.same) return [reasoning(part.text, part.signature)];
      options.dropped('thinking');
      return [];
    case 'redacted-thinking':
      if (options.same || (part.itemId === undefined && isOwn(part.data) && isBase64(part.data))) {
        return [{ reasoningContent: { redactedContent: part.data } }];
      }
      options.dropped('thinking');
      return [];
    case 'native':
      if (part.dialect === 'converse') return [part.value];
      options.dropped(`${part.dialect} content`);
      return [];
  }
}

function textBlocks(text: string): readonly JsonObject[] {
  return text.trim() === '' ? [] : [{ text }];
}

function cited(text: string, citations: readonly JsonObject[]): JsonObject {
  return { citationsContent: { content: [{ text }], citations } };
}

export function reasoning(text: string, signature: string | undefined): JsonObject {
  return { reasoningContent: { reasoningText: compact({ text, signature }) } };
}

function isOwn(signature: string): boolean {
  return (makerOf(signature) ?? 'messages') === 'messages';
}

function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

const longestId = 64;

/** The id in the characters and the length that the API takes. */
export function useId(id: string): string {
  const safe = toolId(id);
  if (safe.length <= longestId && safe !== '') return safe;
  return shortName(id, longestId, 'id_');
}

export function encodeToolCall(part: ToolCallPart): JsonObject {
  return { toolUse: { toolUseId: useId(part.id), name: part.name, input: toolInput(part.arguments, part.custom) } };
}

function encodeToolResult(part: ToolResultPart, path: string, options: BlockOptions): JsonObject {
  const content = part.content.flatMap((item, at) => resultContent(item, `${path}.content[${at}]`, options));
  return {
    toolResult: compact({
      toolUseId: useId(part.callId),
      // The API wants some content.
      content: content.length === 0 ? [{ text: '(no output)' }] : content,
      status: part.isError === undefined ? undefined : part.isError ? 'error' : 'success',
    }),
  };
}

const resultKinds = new Set(['text', 'image', 'document', 'video', 'json', 'searchResult']);

function resultContent(item: Part, path: string, options: BlockOptions): readonly JsonObject[] {
  if ('cache' in item && item.cache !== undefined) options.dropped('cache_control');
  if (item.type === 'audio') throw unsupported('A tool result cannot hold sound for this provider.', path);
  return bare(item, path, options).filter((block) => Object.keys(block).every((kind) => resultKinds.has(kind)));
}

function callInWords(part: ToolCallPart): string {
  return `[Tool call ${part.id}: ${part.name} ${part.arguments.trim() || '{}'}]`;
}

function resultInWords(part: ToolResultPart, path: string, options: BlockOptions): readonly JsonObject[] {
  const inner = part.content.flatMap((item, at) => resultContent(item, `${path}.content[${at}]`, options));
  const text = inner.map((block) => wordsOf(block)).join('');
  const others = inner.filter((block) => block.text === undefined && block.json === undefined);
  return [{ text: `[Tool ${part.isError ? 'error' : 'result'} ${part.callId}: ${text}]` }, ...others];
}

function wordsOf(block: JsonObject): string {
  const { text, json }: { readonly [key: string]: Json } = block;
  if (typeof text === 'string') return text;
  return json === undefined ? '' : JSON.stringify(json);
}
