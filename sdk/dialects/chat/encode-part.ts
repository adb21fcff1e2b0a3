import { GatewayError } from '../../errors.ts';
import { compact, type JsonObject } from '../../json.ts';
import { urlOf } from '../data-url.ts';
import type { CodecContext } from '../dialect.ts';
import type { AudioPart, FilePart, ImagePart, Part } from '../neutral.ts';
import { cacheFields } from './cache-mark.ts';

/** What encoders of messages and parts need to know of the call that they are in. */
export interface Scope extends CodecContext {
  /** True when the call came in this format: what it says in ways of its own can be said again. */
  readonly own: boolean;
}

/** The parts as content parts, without those that content cannot hold. */
export function writeParts(parts: readonly Part[], scope: Scope): JsonObject[] {
  return parts.map((part) => writePart(part, scope)).filter((part) => part !== undefined);
}

/**
 * A part as content part of a message; undefined, after `dropped`, for what content cannot hold.
 *
 * @throws GatewayError `translation_unsupported` for an image, a file or audio in a form that the format cannot point to
 */
export function writePart(part: Part, scope: Scope): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      if (part.citations !== undefined) scope.dropped('messages.content.citations');
      return { type: 'text', text: part.text, ...cacheFields(part.cache, scope) };
    case 'image':
      return writeImage(part, scope);
    case 'audio':
      return writeAudio(part, scope);
    case 'file':
      return writeFile(part, scope);
    case 'refusal':
      return { type: 'refusal', refusal: part.text };
    case 'native':
      if (part.dialect === 'chat') return part.value;
      scope.dropped('messages.content');
      return undefined;
    case 'thinking':
    case 'redacted-thinking':
      scope.dropped('thinking');
      return undefined;
    case 'tool-call':
    case 'tool-result':
      scope.dropped(`messages.content.${part.type}`);
      return undefined;
  }
}

export function writeImage(part: ImagePart, scope: Scope): JsonObject {
  const url = urlOf(part.source);
  if (url === undefined) throw unsupported('An image given by file id', 'a URL or base64 data');
  return {
    type: 'image_url',
    image_url: compact({ url, detail: part.detail }),
    ...cacheFields(part.cache, scope),
  };
}

function writeAudio(part: AudioPart, scope: Scope): JsonObject {
  const { source, format } = part;
  if (source.kind === 'file-id' || (source.kind === 'url' && !scope.own)) {
    throw unsupported('Audio given by URL or id', 'base64 data');
  }
  return {
    type: 'input_audio',
    input_audio: { data: source.kind === 'url' ? source.url : source.data, format },
    ...cacheFields(part.cache, scope),
  };
}

function writeFile(part: FilePart, scope: Scope): JsonObject {
  if (part.citations === true) scope.dropped('messages.content.citations');
  const { source } = part;
  const cache = cacheFields(part.cache, scope);
  switch (source.kind) {
    case 'text': {
      // The format takes documents of few types; plain text is understood by every model.
      const text = [part.title ?? part.filename, part.context, source.text].filter(Boolean).join('\n\n');
      return { type: 'text', text, ...cache };
    }
    case 'file-id':
      return { type: 'file', file: compact({ file_id: source.id, filename: part.filename }), ...cache };
    case 'url':
      if (!scope.own) throw unsupported('A file given by URL', 'base64 data or a file id');
      return { type: 'file', file: compact({ file_data: source.url, filename: part.filename }), ...cache };
    case 'base64': {
      if (part.context !== undefined) scope.dropped('messages.content.context');
      const filename = part.filename ?? (scope.own ? undefined : (part.title ?? defaultName(source.mediaType)));
      return { type: 'file', file: compact({ filename, file_data: urlOf(source) }), ...cache };
    }
  }
}

// The format wants a name beside the bytes.
function defaultName(mediaType: string): string {
  return `document.${mediaType.split('/').at(-1) ?? 'pdf'}`;
}

function unsupported(what: string, accepted: string): GatewayError {
  return new GatewayError(
    'translation_unsupported',
    `${what} cannot be sent to this provider, whose format takes only ${accepted}.`,
    { param: 'messages' },
  );
}
