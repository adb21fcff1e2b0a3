import { asObject, type JsonArray } from 'portcullis/sdk';
import { readFields, readLeaves } from './leaves.ts';
import type { Gathering, JsonPath, Speaker } from './reading.ts';

/** Reads the parts of a content. @param kinds fields of a part whose texts are of the kind of that name */
export function readParts(
  found: Gathering,
  parts: JsonArray,
  path: JsonPath,
  speaker: Speaker,
  kinds: readonly ('refusal' | 'thinking')[],
): void {
  const own: ReadonlySet<string> = new Set(kinds);
  parts.forEach((item, at) => {
    const part = asObject(item);
    const place = [...path, at];
    if (part === undefined) {
      readLeaves(found, item, place, speaker);
      return;
    }
    readFields(found, part, place, speaker, own);
    for (const kind of kinds) {
      const value = part[kind];
      if (value !== undefined) readLeaves(found, value, [...place, kind], { ...speaker, kind });
    }
  });
}
