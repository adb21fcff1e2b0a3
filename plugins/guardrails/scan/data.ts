import type { Json } from 'portcullis/sdk';
import { readKey } from './called-name.ts';
import type { Gathering, JsonPath, Speaker } from './reading.ts';

/** Deeper than any format nests its texts. */
export const deepest = 64;

/** Gathers every text and number of what a caller has named as it likes: no name tells that there is nothing to read. */
export function readData(found: Gathering, value: Json, path: JsonPath, speaker: Speaker, depth = 0): void {
  if (typeof value === 'string' || typeof value === 'number')
    found.text(path, String(value), speaker.role, speaker.kind, speaker.message);
  else if (typeof value === 'object' && value !== null && !isTooDeep(found, depth)) {
    const members: Iterable<[string | number, Json]> = Array.isArray(value) ? value.entries() : Object.entries(value);
    for (const [name, member] of members) {
      if (typeof name === 'string') readKey(found, name, path, speaker);
      readData(found, member, [...path, name], speaker, depth + 1);
    }
  }
}

export function isTooDeep(found: Gathering, depth: number): boolean {
  if (depth < deepest) return false;
  if (found.unreadable.length === 0) found.unreadable.push(`Texts stand deeper than ${deepest} levels.`);
  return true;
}
