import { asArray, asObject, asObjects, asString, type Json, type JsonObject } from '../../json.ts';
import { sourceOf } from '../data-url.ts';
import { audioType, documentType } from '../media-type.ts';
import type { AudioPart, CacheMark, FilePart, ImagePart, NativePart, Part, Source, TextPart } from '../neutral.ts';
import { present } from '../present.ts';

/** The parts of a message's or a tool result's content: a string, or a list of content parts. */
export function readContent(content: Json | undefined): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asArray(content).flatMap((part) => {
    if (typeof part === 'string') return [{ type: 'text', text: part }];
    const object = asObject(part);
    return object === undefined ? [] : [readPart(object)];
  });
}

export function native(value: JsonObject): NativePart {
  return { type: 'native', dialect: 'responses', value };
}

const readers: Readonly<Record<string, (part: JsonObject) => Part>> = {
  input_text: readText,
  output_text: readText,
  text: readText,
  refusal: (part) => ({ type: 'refusal', text: asString(part.refusal) ?? '' }),
  input_image: readImage,
  input_file: readFile,
  input_audio: readAudio,
};

function readPart(part: JsonObject): Part {
  const type = asString(part.type) ?? '';
  return Object.hasOwn(readers, type) ? (readers[type]?.(part) ?? native(part)) : native(part);
}

function readText(part: JsonObject): TextPart {
  const citations = asObjects(part.annotations);
  return present<TextPart>({
    type: 'text',
    text: asString(part.text) ?? '',
    citations: citations.length === 0 ? undefined : citations,
    cache: readCache(part),
  });
}

function readImage(part: JsonObject): Part {
  const url = asString(part.image_url) ?? asString(asObject(part.image_url)?.url);
  const id = asString(part.file_id);
  const source: Source | undefined = url === undefined ? (id === undefined ? undefined : fileId(id)) : sourceOf(url);
  if (source === undefined) return native(part);
  return present<ImagePart>({ type: 'image', source, detail: asString(part.detail), cache: readCache(part) });
}

function readFile(part: JsonObject): Part {
  const filename = asString(part.filename);
  const source = fileSource(part, filename);
  if (source === undefined) return native(part);
  return present<FilePart>({
    type: 'file',
    source,
    filename,
    cache: readCache(part),
  });
}

function fileSource(part: JsonObject, filename: string | undefined): Source | undefined {
  const bytes = asString(part.file_data);
  if (bytes?.startsWith('data:')) return sourceOf(bytes);
  if (bytes !== undefined) return { kind: 'base64', mediaType: documentType(filename), data: bytes };
  const url = asString(part.file_url);
  if (url !== undefined) return sourceOf(url);
  const id = asString(part.file_id);
  return id === undefined ? undefined : fileId(id);
}

function readAudio(part: JsonObject): Part {
  const audio = asObject(part.input_audio) ?? part;
  const data = asString(audio.data);
  if (data === undefined) return native(part);
  const format = asString(audio.format) ?? 'wav';
  const source: Source = { kind: 'base64', mediaType: audioType(format), data };
  return { type: 'audio', source, format } satisfies AudioPart;
}

function fileId(id: string): Source {
  return { kind: 'file-id', id };
}

/** A breakpoint of the prompt cache. Its two lifetimes are longer than the neutral ones that stand for them. */
function readCache(part: JsonObject): CacheMark | undefined {
  const breakpoint = asObject(part.prompt_cache_breakpoint);
  if (breakpoint === undefined) return undefined;
  if (breakpoint.ttl === '30m') return { ttl: '5m' };
  return breakpoint.ttl === '12h' ? { ttl: '1h' } : {};
}
