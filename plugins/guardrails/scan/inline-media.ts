import { asString, type JsonObject } from 'portcullis/sdk';
import { isTextType, isTextUrl } from './encoded-text.ts';
import { isEncoded, readFields, readLeaves, readMedium } from './leaves.ts';
import type { Gathering, JsonPath, Speaker } from './reading.ts';

const mediaFields: ReadonlySet<string> = new Set(['data', 'fileUri', 'file_uri']);

/** Bytes are no text, unless they are those of a text. */
export function readMedia(found: Gathering, media: JsonObject, at: JsonPath, part: JsonPath, speaker: Speaker): void {
  const types = [media.mimeType, media.mime_type].flatMap((given) => asString(given) ?? []);
  const [type = ''] = types;
  const data = asString(media.data);
  const url = asString(media.fileUri) ?? asString(media.file_uri);
  // What says nothing of its type may be a text.
  const isText = data !== undefined && (types.length === 0 || types.some(isTextType));
  if (isText || (url !== undefined && isTextUrl(url)))
    found.unreadable.push('A part holds an encoded text file, which no check can read.');
  if (data !== undefined && !isEncoded(data)) readLeaves(found, data, [...at, 'data'], speaker);
  const shown = data === undefined ? url : `data:${type};base64,${data}`;
  const isImage = /^image\//i.test(type);
  if (isImage && shown !== undefined) found.images.push({ path: part, url: shown });
  if (url !== undefined)
    (isImage ? readMedium : readLeaves)(found, url, [...at, 'fileUri' in media ? 'fileUri' : 'file_uri'], speaker);
  readFields(found, media, at, speaker, mediaFields);
}
