import { GatewayError } from '../../errors.ts';
import { compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { FilePart, ImagePart, Part, Source, TextPart, ToolResultPart } from '../neutral.ts';
import { makerOf } from '../signature.ts';
import { cacheControl } from './cache.ts';
import { replayableCitations } from './citation.ts';
import { toolId, toolInput } from './tool-input.ts';

const PDF = 'application/pdf';

/**
 * The blocks of a request that say a part: none when the API would refuse it (blank text, thinking without a signature)
 * or when only another dialect could say it.
 * @throws GatewayError `translation_unsupported` for audio and for files of a kind that the API does not read
 */
export function encodePart(part: Part, context: CodecContext): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      return encodeText(part, context);
    case 'refusal':
      return encodeText({ type: 'text', text: part.text }, context);
    case 'image':
      return [encodeImage(part, context)];
    case 'file':
      return [encodeFile(part)];
    case 'audio':
      if (part.transcript !== undefined) return encodeText({ type: 'text', text: part.transcript }, context);
      throw unsupported('The Messages API takes no audio.');
    case 'tool-call':
      return [
        compact({
          type: 'tool_use',
          id: toolId(part.id),
          name: part.name,
          input: toolInput(part.arguments, part.custom),
          cache_control: cacheControl(part.cache),
        }),
      ];
    case 'tool-result':
      return [encodeToolResult(part, context)];
    case 'thinking':
      if (part.signature && isOwn(part.signature, part.itemId)) {
        return [{ type: 'thinking', thinking: part.text, signature: part.signature }];
      }
      context.dropped('thinking');
      return [];
    case 'redacted-thinking':
      if (isOwn(part.data, part.itemId)) return [{ type: 'redacted_thinking', data: part.data }];
      context.dropped('thinking');
      return [];
    case 'native':
      if (part.dialect === 'messages') return [part.value];
      context.dropped(`${part.dialect} content`);
      return [];
  }
}

// An item id says that another format's provider signed it.
function isOwn(signature: string, itemId: string | undefined): boolean {
  return itemId === undefined && isOwnSignature(signature);
}

/** Whether a provider of this format may have signed it: no other is known to have. */
export function isOwnSignature(signature: string): boolean {
  return (makerOf(signature) ?? 'messages') === 'messages';
}

/** A `content` or `system` value: a string for one text block without marks, else the blocks. */
export function contentOf(blocks: readonly JsonObject[]): Json {
  const [only] = blocks;
  const plain = blocks.length === 1 && only?.type === 'text' && Object.keys(only).length === 2;
  return plain && typeof only.text === 'string' ? only.text : blocks;
}

function encodeText(part: TextPart, context: CodecContext): readonly JsonObject[] {
  if (part.original?.dialect === 'messages') return [part.original.value];
  if (part.text.trim() === '') {
    if (part.cache !== undefined) context.dropped('cache_control');
    return [];
  }
  const citations = replayableCitations(part.citations ?? [], context);
  return [
    compact({
      type: 'text',
      text: part.text,
      citations: citations.length === 0 ? undefined : citations,
      cache_control: cacheControl(part.cache),
    }),
  ];
}

function encodeToolResult(part: ToolResultPart, context: CodecContext): JsonObject {
  const blocks = part.content.flatMap((item) => encodePart(item, context));
  return compact({
    type: 'tool_result',
    tool_use_id: toolId(part.callId),
    content: blocks.length === 0 ? undefined : contentOf(blocks),
    is_error: part.isError,
    cache_control: cacheControl(part.cache),
  });
}

function encodeImage(part: ImagePart, context: CodecContext): JsonObject {
  if (part.detail !== undefined && part.detail !== 'auto') context.dropped('image_url.detail');
  const type = part.source.kind === 'base64' && part.source.mediaType === PDF ? 'document' : 'image';
  return compact({ type, source: encodeSource(part.source), cache_control: cacheControl(part.cache) });
}

function encodeFile(part: FilePart): JsonObject {
  const mediaType = 'mediaType' in part.source ? (part.source.mediaType ?? '') : '';
  if (mediaType.startsWith('image/') && part.source.kind !== 'text') {
    return compact({ type: 'image', source: encodeSource(part.source), cache_control: cacheControl(part.cache) });
  }
  return compact({
    type: 'document',
    source: documentSource(part.source),
    title: part.title ?? part.filename,
    context: part.context,
    citations: part.citations === undefined ? undefined : { enabled: part.citations },
    cache_control: cacheControl(part.cache),
  });
}

/** Text formats whose media type does not start with `text/`. */
const textTypes = /^(text\/.*|application\/(json|xml|yaml|x-yaml|javascript|sql|x-ndjson|csv)|[^;]*\+(json|xml))($|;)/i;

function documentSource(source: FilePart['source']): JsonObject {
  if (source.kind === 'text') return { type: 'text', media_type: 'text/plain', data: source.text };
  if (source.kind === 'base64' && textTypes.test(source.mediaType)) {
    const data = Buffer.from(source.data, 'base64').toString('utf8');
    return { type: 'text', media_type: 'text/plain', data };
  }
  if (source.kind === 'base64' && source.mediaType !== PDF) {
    throw unsupported(`The Messages API takes PDF and text files, not "${source.mediaType}".`);
  }
  return encodeSource(source);
}

function encodeSource(source: Source): JsonObject {
  switch (source.kind) {
    case 'url':
      if (/^https?:/i.test(source.url)) return { type: 'url', url: source.url };
      throw unsupported('The Messages API takes http(s) URLs and base64 data URLs.');
    case 'base64':
      // A common slip, which the API refuses.
      return {
        type: 'base64',
        media_type: source.mediaType === 'image/jpg' ? 'image/jpeg' : source.mediaType,
        data: source.data,
      };
    case 'file-id':
      return { type: 'file', file_id: source.id };
  }
}

function unsupported(message: string): GatewayError {
  return new GatewayError('translation_unsupported', message, { param: 'messages' });
}
