import { lookup } from './lookup.ts';

const byExtension: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

/** The media type of a document's bytes that say none: by the file's name, PDF when that does not tell. */
export function documentType(filename: string | undefined): string {
  const extension = filename?.split('.').at(-1)?.toLowerCase() ?? '';
  return lookup(byExtension, extension) ?? 'application/pdf';
}

const byFormat: Readonly<Record<string, string>> = { mp3: 'audio/mpeg', pcm16: 'audio/pcm', m4a: 'audio/mp4' };

/** The media type of an audio format word: wav, mp3, flac ... */
export function audioType(format: string): string {
  return lookup(byFormat, format) ?? `audio/${format}`;
}
