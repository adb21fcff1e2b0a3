import { type Edit, editsBetween, GatewayError, type Json, type JsonObject, type ScannedText } from 'portcullis/sdk';

const deepest = 200;

interface Leaf {
  readonly before: string;
  readonly after: string;
}

/**
 * The edits that turn one body into another, for those who answer with a whole body. All that they may change are texts
 * in scope; where the same text stands in several places, all of them must change alike, or nobody knows which is which.
 * @throws GatewayError `check_failed` for any other change
 */
export function editsOfBody(before: JsonObject, after: JsonObject, texts: readonly ScannedText[]): readonly Edit[] {
  const leaves: Leaf[] = [];
  collect(before, after, leaves, 0);
  const inScope = Map.groupBy(texts, ({ text }) => text);
  const edits: Edit[] = [];
  for (const [text, same] of Map.groupBy(leaves, (leaf) => leaf.before)) {
    const changes = new Set(same.map((leaf) => leaf.after));
    const [changed = text] = changes;
    if (changes.size === 1 && changed === text) continue;
    const scanned = inScope.get(text) ?? [];
    if (scanned.length === 0) throw fault('a string that is no text in scope');
    if (changes.size > 1 || scanned.length !== same.length)
      throw fault('one of several places that hold the same text; all of them must be in scope and change alike');
    edits.push(...scanned.flatMap(({ index }) => editsBetween(index, text, changed)));
  }
  return edits;
}

/** Walks both trees at once and keeps the strings. */
function collect(before: Json, after: Json, leaves: Leaf[], depth: number): void {
  if (depth > deepest) throw fault(`something nested deeper than ${deepest} levels`);
  if (typeof before === 'string' && typeof after === 'string') {
    leaves.push({ before, after });
  } else if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) throw fault('the length of a list');
    before.forEach((item, index) => {
      collect(item, after[index], leaves, depth + 1);
    });
  } else if (isObject(before) && isObject(after)) {
    const keys = Object.keys(before);
    if (keys.length !== Object.keys(after).length || !keys.every((key) => Object.hasOwn(after, key)))
      throw fault('the members of an object');
    for (const key of keys) collect(before[key] ?? null, after[key] ?? null, leaves, depth + 1);
  } else if (before !== after) {
    throw fault('a value that is no text');
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fault(what: string): GatewayError {
  const text = `The transformed body changes ${what}. Only texts can be changed; the rest must stay as it was.`;
  return new GatewayError('check_failed', text);
}
