import type { Json, JsonObject } from 'portcullis/sdk';
import { Document, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Path } from '../../config/schema-faults.ts';
import { yamlReasons } from '../../config/yaml-faults.ts';

/** Aliases can stand in aliases, so that a short file could stand for more than memory holds. */
const maxAliases = 100;

const dialect = { version: '1.2', schema: 'core' } as const;

export interface Place {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** A YAML text as plain values. Unlike the operator's file it holds `${NAME}` as it stands: templates are full of it. */
export interface YamlText {
  readonly value: Json;
  /** Why it cannot be read; the value is null then. */
  readonly faults: readonly { readonly place: Place; readonly reason: string }[];
  /** Where the value is or, when it is absent, the innermost value around it. */
  placeOf(path: Path): Place;
}

export function readYaml(text: string): YamlText {
  const lineCounter = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const unread = (reason: string, offset = 0): YamlText => ({
    value: null,
    faults: [{ place: placeAt(offset), reason }],
    placeOf: () => placeAt(0),
  });
  try {
    const document = parseDocument(text, { ...dialect, lineCounter, prettyErrors: false });
    const [first] = [...document.errors, ...document.warnings];
    // What follows the first mistake is often the same mistake.
    if (first !== undefined) return unread(yamlReasons[first.code], first.pos[0]);
    const value = document.toJS({ maxAliasCount: maxAliases }) as Json;
    const strange = offsetOfNonJson(document);
    if (strange !== undefined) return unread('holds a number that JSON has no form for', strange);
    return { value, faults: [], placeOf: (path) => placeAt(offsetOf(document, path)) };
  } catch {
    // The parser recurses, and it refuses aliases that stand for too much.
    return unread(yamlReasons.RESOURCE_EXHAUSTION);
  }
}

function offsetOfNonJson(document: Document.Parsed): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Scalar: (_, { value, range }) => {
      if (typeof value !== 'number' || Number.isFinite(value)) return undefined;
      offset = range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const token of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === token);
      if (pair === undefined) return offset;
      offset = (pair.key as { range?: readonly number[] }).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(token)];
      offset = (node as { range?: readonly number[] } | undefined)?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

// Line breaks other than \n, and halves of characters, would not come back from a file as they were.
const unprintable = /[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

/** In lines of its own such a text would lose the blanks that it begins with. */
const blankStart = /^[ \t]+(\n|$)|^\s*$/;

/**
 * Writes the value so that each change of a text is a change of few lines.
 * @param blocks members of the top level whose text stands in lines of its own, however short
 */
export function writeYaml(value: JsonObject, blocks: readonly string[]): string {
  const document = new Document(value, { ...dialect, aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  for (const name of blocks) {
    const node = document.get(name, true);
    if (isScalar(node) && typeof node.value === 'string') node.type = 'BLOCK_LITERAL';
  }
  visit(document, {
    Scalar: (_, node) => {
      const { value: text } = node;
      if (typeof text === 'string' && (unprintable.test(text) || blankStart.test(text))) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0, blockQuote: 'literal' });
}
