import type { Json } from '../json.ts';

const types: ReadonlyMap<Json | undefined, string> = new Map([
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['opus', 'audio/ogg'],
  ['aac', 'audio/aac'],
  ['pcm', 'audio/pcm'],
  ['mulaw', 'audio/basic'],
]);

/** The content type of speech in a format as the speech endpoint names it; of others that of `otherwise`. */
export function speechType(format: Json | undefined, otherwise: 'mp3' | 'wav' | 'pcm'): string {
  return types.get(format) ?? types.get(otherwise) ?? '';
}
