import { asObject, asString, compact, type JsonObject } from '../../json.ts';
import { lookup } from '../lookup.ts';
import type { AudioPart, FilePart, ImagePart, Part, Source } from '../neutral.ts';
import { camelKeys } from './camel.ts';

type MediaPart = ImagePart | FilePart | AudioPart;

const mimeTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  aiff: 'audio/aiff',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  pdf: 'application/pdf',
  json: 'application/json',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  css: 'text/css',
  csv: 'text/csv',
  xml: 'text/xml',
  rtf: 'text/rtf',
  mp4: 'video/mp4',
  mpeg: 'video/mpeg',
  mpg: 'video/mpeg',
  mov: 'video/quicktime',
  avi: 'video/x-msvideo',
  webm: 'video/webm',
  wmv: 'video/x-ms-wmv',
  flv: 'video/x-flv',
  '3gp': 'video/3gpp',
};
const defaults = { image: 'image/jpeg', audio: 'audio/mpeg', file: 'application/pdf' } as const;
const audioTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  pcm16: 'audio/L16;codec=pcm;rate=24000',
  pcm: 'audio/L16;codec=pcm;rate=24000',
  opus: 'audio/ogg',
};
const audioFormats: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/l16': 'pcm16',
};

/** The part of an `inlineData` or `fileData` part; undefined when it holds neither, or more than a neutral part can. */
export function decodeMedia(part: JsonObject): Part | undefined {
  const known = new Set(['inlineData', 'fileData', 'thoughtSignature', 'mediaResolution']);
  if (Object.keys(part).some((key) => !known.has(key))) return undefined;
  const inline = asObject(part.inlineData);
  const file = asObject(part.fileData);
  const fields = inline ?? file;
  if (fields === undefined) return undefined;
  const { mimeType, data, fileUri, displayName } = camelKeys(fields);
  const mediaType = asString(mimeType);
  const source: Source = inline
    ? { kind: 'base64', mediaType: mediaType ?? 'application/octet-stream', data: asString(data) ?? '' }
    : { kind: 'url', url: asString(fileUri) ?? '', ...(mediaType === undefined ? {} : { mediaType }) };
  const level = asString(asObject(part.mediaResolution)?.level);
  if (mediaType?.startsWith('image/')) {
    const detail = level?.replace('MEDIA_RESOLUTION_', '').toLowerCase();
    return { type: 'image', source, ...(detail === undefined ? {} : { detail }) };
  }
  if (level !== undefined) return undefined;
  if (mediaType?.startsWith('audio/')) return { type: 'audio', source, format: audioFormat(mediaType) };
  const filename = asString(displayName);
  return { type: 'file', source, ...(filename === undefined ? {} : { filename }) };
}

function audioFormat(mediaType: string): string {
  const bare = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return lookup(audioFormats, bare) ?? bare.replace(/^audio\/(x-)?/, '');
}

/**
 * The wire part of a media part; undefined when its source cannot be said: a file id that is no URI.
 * `keepUntyped`: a URL that came without a media type goes without one.
 */
export function encodeMedia(part: MediaPart, keepUntyped: boolean): JsonObject | undefined {
  const source = part.source;
  switch (source.kind) {
    case 'text':
      return { inlineData: { mimeType: source.mediaType, data: Buffer.from(source.text, 'utf8').toString('base64') } };
    case 'base64': {
      const mimeType =
        part.type === 'audio' && !source.mediaType.startsWith('audio/') ? audioType(part) : source.mediaType;
      const displayName = keepUntyped && part.type === 'file' ? part.filename : undefined;
      return { inlineData: compact({ mimeType, data: source.data, displayName }) };
    }
    case 'url': {
      const guessed = keepUntyped ? undefined : (typeOfUrl(source.url) ?? defaults[part.type]);
      return { fileData: compact({ fileUri: source.url, mimeType: source.mediaType ?? guessed }) };
    }
    case 'file-id':
      return /^[a-z][a-z0-9+.-]*:\/\//i.test(source.id) ? { fileData: { fileUri: source.id } } : undefined;
  }
}

function audioType(part: AudioPart): string {
  return lookup(audioTypes, part.format) ?? lookup(mimeTypes, part.format) ?? `audio/${part.format}`;
}

function typeOfUrl(url: string): string | undefined {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  return extension === undefined || !Object.hasOwn(mimeTypes, extension) ? undefined : mimeTypes[extension];
}
