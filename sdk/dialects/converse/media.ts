import { GatewayError } from '../../errors.ts';
import { asObject, asString, compact, type JsonObject } from '../../json.ts';
import { lookup } from '../lookup.ts';
import { audioType, documentType } from '../media-type.ts';
import type { AudioPart, FilePart, ImagePart, Part, Source } from '../neutral.ts';

export type MediaPart = ImagePart | FilePart | AudioPart;

const documents: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
};
const images: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const videos: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/x-matroska': 'mkv',
  'video/webm': 'webm',
  'video/x-flv': 'flv',
  'video/mpeg': 'mpeg',
  'video/x-ms-wmv': 'wmv',
  'video/3gpp': 'three_gp',
};
/** Text whose media type does not say so. */
const textual = /^(text\/.*|application\/(json|xml|yaml|x-yaml|javascript|sql|x-ndjson)|.*\+(json|xml))$/;

const extensions: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  mkv: 'video/x-matroska',
  webm: 'video/webm',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
};

/** Names for the documents of one request, which the API wants to differ, and takes in few characters only. */
export class DocumentNames {
  readonly #given = new Set<string>();

  next(wanted: string | undefined): string {
    const bare = (wanted ?? '').replace(/\.[a-z0-9]{1,5}$/i, '');
    const safe = bare.replace(/[^a-zA-Z0-9\s\-()[\]]/g, '-').replace(/\s+/g, ' ');
    const name = safe.trim().slice(0, 180) || 'document';
    let unique = name;
    for (let count = 2; this.#given.has(unique); count += 1) unique = `${name}-${count}`;
    this.#given.add(unique);
    return unique;
  }
}

/**
 * The block of an image, a document, a video or a sound.
 * @throws GatewayError `translation_unsupported` for URLs other than `s3://`, ids of other providers and unknown formats
 */
export function encodeMedia(part: MediaPart, path: string, names: DocumentNames): JsonObject {
  const type = typeOf(part);
  if (part.type === 'audio') {
    return {
      audio: { format: type.replace(/^audio\/(x-)?/, '').replace(/^mpeg$/, 'mp3'), source: bytesOf(part.source, path) },
    };
  }
  const image = lookup(images, type);
  if (part.type === 'image' || image !== undefined) {
    if (part.type === 'image' && type === 'application/pdf')
      return document({ ...part, type: 'file' }, 'pdf', path, names);
    return { image: { format: known(image, type, path), source: bytesOf(part.source, path) } };
  }
  const video = lookup(videos, type);
  if (video !== undefined) return { video: { format: video, source: bytesOf(part.source, path) } };
  const format = lookup(documents, type) ?? (textual.test(type) ? 'txt' : undefined);
  return document(part, known(format, type, path), path, names);
}

function document(part: FilePart, format: string, path: string, names: DocumentNames): JsonObject {
  return {
    document: compact({
      format,
      name: names.next(part.title ?? part.filename),
      source: bytesOf(part.source, path),
      context: part.context,
      citations: part.citations === undefined ? undefined : { enabled: part.citations },
    }),
  };
}

function typeOf(part: MediaPart): string {
  const { source } = part;
  if (part.type === 'audio') return audioType(part.format);
  if (source.kind === 'base64' || source.kind === 'text') return bare(source.mediaType);
  const place = source.kind === 'url' ? source.url : source.id;
  const told = source.kind === 'url' ? source.mediaType : undefined;
  const extension = /\.([a-z0-9]+)$/i.exec(place.split(/[?#]/, 1)[0] ?? '')?.[1]?.toLowerCase() ?? '';
  const guessed = part.type === 'image' ? 'image/jpeg' : documentType(part.filename ?? place);
  return bare(told ?? lookup(extensions, extension) ?? guessed);
}

function bare(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function bytesOf(source: FilePart['source'], path: string): JsonObject {
  switch (source.kind) {
    case 'text':
      return { text: source.text };
    case 'base64':
      return { bytes: source.data };
    case 'url':
    case 'file-id': {
      const uri = storedAt(source.kind === 'url' ? source.url : source.id);
      if (uri !== undefined) return { s3Location: { uri } };
      const what = source.kind === 'url' ? 'A URL' : 'A file id';
      throw unsupported(`${what} cannot be sent to this provider: send the content as base64, or an s3:// URL.`, path);
    }
  }
}

/** An `s3://` URL, also where it is URL-encoded as the gateway's file ids are. */
function storedAt(place: string): string | undefined {
  if (/^s3:\/\//i.test(place)) return place;
  if (!/^s3%3A%2F%2F/i.test(place)) return undefined;
  try {
    return decodeURIComponent(place);
  } catch {
    return undefined;
  }
}

function known(format: string | undefined, type: string, path: string): string {
  if (format !== undefined) return format;
  throw unsupported(`This provider reads no content of the type ${type.slice(0, 100) || 'unknown'}.`, path);
}

export function unsupported(message: string, param: string): GatewayError {
  return new GatewayError('translation_unsupported', message, { param });
}

const byFormat = (table: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(table)
      .map(([type, format]) => [format, type])
      .toReversed(),
  );
const types = { image: byFormat(images), document: byFormat(documents), video: byFormat(videos) } as const;

/** The part of an `image`, `document`, `video` or `audio` block; undefined for a form that the neutral one has no place for. */
export function decodeMedia(block: JsonObject): Part | undefined {
  for (const kind of ['image', 'document', 'video', 'audio'] as const) {
    const value = asObject(block[kind]);
    if (value === undefined) continue;
    const format = asString(value.format) ?? '';
    const type =
      kind === 'audio'
        ? audioType(format)
        : (lookup(types[kind], format) ?? `${kind === 'document' ? 'application' : kind}/${format || 'octet-stream'}`);
    return decoded(kind, value, format, type);
  }
  return undefined;
}

function decoded(
  kind: 'image' | 'document' | 'video' | 'audio',
  value: JsonObject,
  format: string,
  type: string,
): Part | undefined {
  const from = asObject(value.source);
  const text = asString(from?.text);
  const source = sourceOf(from, type);
  if (kind === 'document' && text !== undefined) return file(value, { kind: 'text', mediaType: type, text });
  if (source === undefined || value.error !== undefined) return undefined;
  if (kind === 'image') return { type: 'image', source };
  return kind === 'audio' ? { type: 'audio', source, format } : file(value, source);
}

function file(value: JsonObject, source: FilePart['source']): FilePart {
  const [title, context] = [asString(value.name), asString(value.context)];
  const cited = asObject(value.citations)?.enabled;
  return {
    type: 'file',
    source,
    ...(title === undefined ? {} : { title }),
    ...(context === undefined ? {} : { context }),
    ...(typeof cited === 'boolean' ? { citations: cited } : {}),
  };
}

function sourceOf(source: JsonObject | undefined, mediaType: string): Source | undefined {
  const data = asString(source?.bytes);
  if (data !== undefined) return { kind: 'base64', mediaType, data };
  const uri = asString(asObject(source?.s3Location)?.uri);
  return uri === undefined ? undefined : { kind: 'url', url: uri, mediaType };
}
