import { asArray, asObject, asObjects, asString, type Json, type JsonObject } from '../../json.ts';
import { sourceOf } from '../data-url.ts';
import type { CodecContext } from '../dialect.ts';
import { audioType, documentType } from '../media-type.ts';
import type { AudioPart, CacheMark, FilePart, ImagePart, Part, Source, TextPart, ThinkingPart } from '../neutral.ts';
import { present } from '../present.ts';
import { readCacheMark } from './cache-mark.ts';

interface PartReader {
  readonly fields: ReadonlySet<string>;
  /** Undefined when the part lacks what it is made of; it is then kept as it stands. */
  read(part: JsonObject, cache: CacheMark | undefined): Part | undefined;
}

const readers: Readonly<Record<string, PartReader>> = {
  text: reader(['text'], readText),
  image_url: reader(['image_url'], readImage),
  input_audio: reader(['input_audio'], readAudio),
  file: reader(['file'], readFile),
  refusal: reader(['refusal'], (part) => ({ type: 'refusal', text: asString(part.refusal) ?? '' })),
  thinking: reader(['thinking', 'signature'], readThinking),
  redacted_thinking: reader(['data'], (part) => {
    const data = asString(part.data);
    return data === undefined ? undefined : { type: 'redacted-thinking', data };
  }),
};

/**
 * Reads message content: a string, or a list of parts. An empty string gives no part. Parts of an unknown type are kept as
 * native parts; unknown fields of known parts have no neutral place and are reported as dropped.
 */
export function readContent(content: Json | undefined, context: CodecContext): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return asArray(content).flatMap((item) => {
    if (typeof item === 'string') return [{ type: 'text', text: item } satisfies Part];
    const part = asObject(item);
    return part === undefined ? [] : [readPart(part, context)];
  });
}

export function readPart(part: JsonObject, context: CodecContext): Part {
  const type = asString(part.type) ?? '';
  const known = Object.hasOwn(readers, type) ? readers[type] : undefined;
  const read = known?.read(part, readCacheMark(part.cache_control));
  if (known === undefined || read === undefined) return { type: 'native', dialect: 'chat', value: part };
  for (const field in part) {
    if (!known.fields.has(field)) context.dropped(`messages.content.${field}`);
  }
  return read;
}

/** The text of a thinking value: a string, or a list of text parts. */
export function thinkingText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return asObjects(value)
    .map((part) => asString(part.text) ?? '')
    .join('');
}

function reader(fields: readonly string[], read: PartReader['read']): PartReader {
  return { fields: new Set(['type', 'cache_control', ...fields]), read };
}

function readText(part: JsonObject, cache: CacheMark | undefined): Part | undefined {
  const text = asString(part.text);
  return text === undefined ? undefined : present<TextPart>({ type: 'text', text, cache });
}

function readImage(part: JsonObject, cache: CacheMark | undefined): Part | undefined {
  const image = asObject(part.image_url) ?? {};
  const url = asString(image.url) ?? asString(part.image_url);
  if (url === undefined) return undefined;
  return present<ImagePart>({ type: 'image', source: sourceOf(url), detail: asString(image.detail), cache });
}

function readAudio(part: JsonObject, cache: CacheMark | undefined): Part | undefined {
  const audio = asObject(part.input_audio);
  const data = asString(audio?.data);
  if (audio === undefined || data === undefined) return undefined;
  const format = asString(audio.format) ?? 'wav';
  return present<AudioPart>({ type: 'audio', source: sourceOfData(data, audioType(format)), format, cache });
}

function readFile(part: JsonObject, cache: CacheMark | undefined): Part | undefined {
  const file = asObject(part.file);
  if (file === undefined) return undefined;
  const id = asString(file.file_id);
  const data = asString(file.file_data);
  if (id === undefined && data === undefined) return undefined;
  const filename = asString(file.filename);
  const source: Source =
    data === undefined ? { kind: 'file-id', id: id ?? '' } : sourceOfData(data, documentType(filename));
  return present<FilePart>({ type: 'file', source, filename, cache });
}

// The field holds a data URL, a URL where the server takes one, or bare base64.
function sourceOfData(data: string, mediaType: string): Source {
  return /^(data:|https?:\/\/)/i.test(data) ? sourceOf(data) : { kind: 'base64', mediaType, data };
}

function readThinking(part: JsonObject): Part {
  return present<ThinkingPart>({
    type: 'thinking',
    text: thinkingText(part.thinking),
    signature: asString(part.signature),
  });
}
