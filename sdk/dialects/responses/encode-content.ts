import { compact, type JsonObject } from '../../json.ts';
import { urlOf } from '../data-url.ts';
import type { CodecContext } from '../dialect.ts';
import { lookup } from '../lookup.ts';
import type { AudioPart, CacheMark, FilePart, ImagePart, Part, TextPart } from '../neutral.ts';
import { annotationOf } from './citations.ts';

/** What writers need to know of the request that they write. */
export interface Target {
  readonly context: CodecContext;
  /** The client speaks this format too: what only this format has is kept. */
  readonly own: boolean;
}

/** One part as input content; undefined, and said so, when this format has no place for it. */
export function writeInput(part: Part, target: Target): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return part.text === '' ? undefined : compact({ type: 'input_text', text: part.text, ...cacheOf(part, target) });
    case 'refusal':
      return { type: 'input_text', text: part.text };
    case 'image':
      return writeImage(part, target);
    case 'file':
      return writeFile(part, target);
    case 'audio':
      return writeAudio(part, target);
    case 'native':
      if (part.dialect === 'responses') return part.value;
      break;
    case 'tool-call':
    case 'tool-result':
    case 'thinking':
    case 'redacted-thinking':
      break;
  }
  target.context.dropped(part.type);
  return undefined;
}

/** Text of an earlier answer. Citations of other formats are left out: the provider did not make them. */
export function writeOutputText(part: TextPart, target: Target): JsonObject {
  const citations = target.own ? (part.citations ?? []) : [];
  const annotations = citations.flatMap((citation) => annotationOf(citation, part.text.length) ?? []);
  return compact({ type: 'output_text', text: part.text, annotations, ...cacheOf(part, target) });
}

function writeImage(part: ImagePart, target: Target): JsonObject {
  const { source } = part;
  return compact({
    type: 'input_image',
    detail: part.detail ?? 'auto',
    image_url: urlOf(source),
    file_id: source.kind === 'file-id' ? source.id : undefined,
    ...cacheOf(part, target),
  });
}

function writeFile(part: FilePart, target: Target): JsonObject {
  if (part.context !== undefined) target.context.dropped('context');
  if (part.citations === true) target.context.dropped('citations');
  return compact({ type: 'input_file', ...fileFields(part), ...cacheOf(part, target) });
}

function fileFields(part: FilePart): JsonObject {
  const { source } = part;
  const named = part.filename ?? part.title;
  switch (source.kind) {
    case 'url':
      return compact({ file_url: source.url, filename: part.filename });
    case 'file-id':
      return compact({ file_id: source.id, filename: part.filename });
    case 'base64':
      return { filename: named ?? fileName(source.mediaType), file_data: urlOf(source) ?? '' };
    case 'text': {
      const data = Buffer.from(source.text, 'utf8').toString('base64');
      const mediaType = source.mediaType || 'text/plain';
      return { filename: named ?? fileName(mediaType), file_data: `data:${mediaType};base64,${data}` };
    }
  }
}

const extensions: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/markdown': 'md',
  'text/csv': 'csv',
  'text/html': 'html',
  'application/json': 'json',
};

/** File data is refused without a name. */
function fileName(mediaType: string): string {
  return `document.${lookup(extensions, mediaType) ?? (mediaType.startsWith('text/') ? 'txt' : 'pdf')}`;
}

function writeAudio(part: AudioPart, target: Target): JsonObject | undefined {
  if (part.source.kind === 'base64') {
    return { type: 'input_audio', input_audio: { data: part.source.data, format: part.format } };
  }
  target.context.dropped('audio');
  return undefined;
}

/** Breakpoints are for the newest models only, and prefixes are cached without them: those of other formats are dropped. */
function cacheOf(part: { readonly cache?: CacheMark }, { own, context }: Target): JsonObject {
  if (part.cache === undefined) return {};
  if (!own) {
    context.dropped('cache_control');
    return {};
  }
  const ttl = part.cache.ttl === undefined ? undefined : part.cache.ttl === '1h' ? '12h' : '30m';
  return { prompt_cache_breakpoint: compact({ mode: 'explicit', ttl }) };
}
